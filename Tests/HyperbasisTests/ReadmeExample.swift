// The text between the two marks is the example in README.md; ReadmeExampleTests compares them.
// README begins
import Foundation
import Hyperbasis

/// Two devices share a note. Here both are in one process; `folder` is an empty directory.
func shareNote(in folder: URL) async throws -> [String: AnyCodableValue]? {
  let kitchen = HBStorage(
    config: .lan(
      deviceName: "Kitchen", directory: folder.appendingPathComponent("kitchen"),
      discovery: false))  // Leave it on, and devices on one network find one another.
  try await kitchen.open()
  let space = HBSpace(name: "Home")
  try await kitchen.save(space)
  let note = HBAnchor(
    spaceId: space.id, transform: matrix_identity_float4x4, metadata: ["text": "Buy milk"])
  try await kitchen.save(note)  // It is on the kitchen's disk now, and is sent.

  let hall = HBStorage(
    config: .lan(
      deviceName: "Hall", directory: folder.appendingPathComponent("hall"),
      knownPeers: ["127.0.0.1:\(kitchen.port!)"], discovery: false))
  for await notes in hall.anchors(spaceId: space.id) where !notes.isEmpty {
    var note = notes[0]
    note.updateMetadata(key: "done", value: true)
    try await hall.save(note)  // Writes "done" and nothing else.
    break
  }
  try await hall.sync()  // Returns once both have the same.
  return try await kitchen.loadAnchor(id: note.id)?.metadata  // ["text": "Buy milk", "done": true]
}
// README ends
