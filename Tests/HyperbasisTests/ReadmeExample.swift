// The text between the two marks is the example in README.md; ReadmeExampleTests compares them.
// README begins
import Hyperbasis

/// Two devices share a note. Here both are in one process; `folder` is an empty directory.
func shareNote(in folder: String) async throws -> String? {
  var kitchen = HBPeerConfiguration(directory: folder + "/kitchen", name: "Kitchen")
  kitchen.usesDiscovery = false  // Leave it on, and devices on one network find one another.
  let first = try HBPeer(kitchen)
  defer { first.stop() }
  let port = try await first.start()
  let space = try await first.createSpace(named: "Home")

  var hall = HBPeerConfiguration(directory: folder + "/hall", name: "Hall")
  hall.usesDiscovery = false
  hall.knownPeers = ["127.0.0.1:\(port)"]
  let second = try HBPeer(hall)
  defer { second.stop() }
  try await second.start()
  try await second.joinSpace(space)
  let news = second.news()

  let note = try await first.put(in: space, metadata: ["text": "Buy milk"])
  for await case .changed(_, let anchors) in news where anchors.contains(note) { break }
  return try await second.anchors(in: space).first?.metadata["text"]?.stringValue
}
// README ends
