import HyperbasisCore
import HyperbasisSync

/// The states that single peers have been in, each once, and what every input made of them.
///
/// An engine is a value and its course depends on its inputs alone, so each input is given but once
/// to each state of a peer, whatever the others do meanwhile; a world is then a few numbers. States
/// are the same when all they hold is the same, by the digest of their ``Reflection``.
struct PeerTable {
  struct Result {
    let peer: Int
    /// In the order in which they were sent.
    let frames: [(link: Int, frame: Int)]
    /// Links that the peer closed.
    let closed: [Int]
    let fault: String?
  }

  private struct Question: Hashable {
    let peer: Int
    let input: SmallInput
  }

  private(set) var peers: [SmallPeer] = []
  /// By peer: what the rules of the world look at.
  private(set) var views: [PeerView] = []
  /// By peer: the number of the list of its own durable changes.
  private(set) var ownLists: [Int32] = []
  private(set) var frames: [[UInt8]] = []
  private var reflection = Reflection()
  private var peerNumbers: [UInt128: Int] = [:]
  private var ownNumbers: [[UInt8]: Int32] = [:]
  private var frameNumbers: [[UInt8]: Int] = [:]
  private var results: [Question: Result] = [:]

  /// How often an engine was given an input.
  var inputs: Int { results.count }

  mutating func number(of peer: SmallPeer) -> Int {
    let digest = reflection.digest(of: peer).bits
    if let number = peerNumbers[digest] { return number }
    peerNumbers[digest] = peers.count
    peers.append(peer)
    let view = PeerView(peer)
    views.append(view)
    ownLists.append(number(of: view.own))
    return peers.count - 1
  }

  mutating func result(of input: SmallInput, at peer: Int) -> Result {
    let question = Question(peer: peer, input: input)
    if let result = results[question] { return result }
    var next = peers[peer]
    var bytes: [UInt8]?
    if case .frame(_, let frame) = input { bytes = frames[frame] }
    let output = next.take(input, frame: bytes)
    // Who waited and had nothing to say is who it was.
    let isSame = input == .wait && output.frames.isEmpty
    let result = Result(
      peer: isSame ? peer : number(of: next),
      frames: output.frames.map { ($0.link, number(of: $0.bytes)) },
      closed: output.closed, fault: output.fault)
    results[question] = result
    return result
  }

  private mutating func number(of own: [Change]) -> Int32 {
    var writer = ByteWriter()
    for change in own { change.encode(into: &writer) }
    if let number = ownNumbers[writer.bytes] { return number }
    ownNumbers[writer.bytes] = Int32(ownNumbers.count)
    return Int32(ownNumbers.count - 1)
  }

  private mutating func number(of frame: [UInt8]) -> Int {
    if let number = frameNumbers[frame] { return number }
    frameNumbers[frame] = frames.count
    frames.append(frame)
    return frames.count - 1
  }

  /// A frame as text: its kind, and the change or how far it reaches.
  func text(ofFrame number: Int) -> String {
    var decoder = FrameDecoder(limit: Limits.frameBytes)
    decoder.append(frames[number])
    guard let frame = try? decoder.next() else { return "what cannot be read" }
    switch frame {
    case .hello: return "hello"
    case .have(_, let vector, _, let history):
      return "have \(SmallNames.text(vector)) history \(SmallNames.text(history))"
    case .want(_, let since, _): return "want beyond \(SmallNames.text(since))"
    case .batch(let batch): return "batch up to \(SmallNames.text(batch.covers))"
    case .change(_, let change): return "change \(SmallNames.text(change.dot))"
    case .wantHistory(_, let since): return "wantHistory beyond \(SmallNames.text(since))"
    case .history(let part):
      return "history \(part.changes.map { SmallNames.text($0.dot) }.joined(separator: " "))"
    case .bye(let farewell): return "bye (\(farewell.text))"
    case .ping, .wantBlob, .blob, .noBlob, .map, .members, .join, .admitted,
      .wantSnapshot, .confirmed, .snapshot, .direct:
      return "another frame"
    }
  }
}

/// Replicas and vectors of small worlds as text.
enum SmallNames {
  static let names = ["A", "B", "C"]

  /// The replica of a peer, by its number and its place in the order of replicas.
  static func replica(_ number: Int, place: Int) -> ReplicaID {
    ReplicaID(UInt128(place) << 8 | UInt128(number))
  }

  static func number(of replica: ReplicaID) -> Int {
    Int(replica.bits & 0xFF)
  }

  static func text(_ replica: ReplicaID) -> String {
    names[number(of: replica)]
  }

  static func text(_ dot: Dot) -> String {
    "\(text(dot.replica)):\(dot.sequence)"
  }

  static func text(_ vector: VersionVector) -> String {
    let entries = vector.entries.map { "\(text($0.replica)):\($0.sequence)" }.sorted()
    return "[\(entries.joined(separator: " "))]"
  }
}
