import HyperbasisCore
import HyperbasisSync

/// What the rules of a small world look at in one peer.
struct PeerView {
  let number: Int
  let phase: SmallPeer.Phase
  /// By peer: how far its changes are known.
  let vector: [Int]
  let history: [Int]
  let digest: Digest
  let cells: [Cell?]
  /// Its own changes that are durable, the first sequence first.
  let own: [Change]
  /// Its own changes of a turn that is not durable.
  let made: [Change]
  /// All whole changes on its disk.
  let logged: [Change]
  /// What is wrong with the peer by itself.
  let fault: String?

  init(_ peer: SmallPeer) {
    number = SmallNames.number(of: peer.replica)
    phase = peer.phase
    let state = peer.state
    vector = PeerView.sequences(state.vector)
    history = PeerView.sequences(peer.history)
    digest = state.digest
    cells = SmallPeer.registers.map { state.cell($0) }
    let disk = peer.disk.histories.first { $0.space == SmallPeer.space }
    logged = disk?.changes.map(\.change) ?? []
    own = logged.filter { $0.dot.replica == peer.replica }
      .sorted { $0.dot.sequence < $1.dot.sequence }
    made = peer.made
    let numbers = own.map { Int($0.dot.sequence) }
    let isWhole = numbers == own.indices.map { $0 + 1 }
    fault = isWhole ? nil : "its own changes are \(numbers)"
  }

  private static func sequences(_ vector: VersionVector) -> [Int] {
    var sequences = [Int](repeating: 0, count: SmallNames.names.count)
    for entry in vector.entries {
      sequences[SmallNames.number(of: entry.replica)] = Int(entry.sequence)
    }
    return sequences
  }
}

/// The rules of a small world of engines: they see all peers, and share no code with the merge.
enum SmallRules {
  /// Two peers that know the same, and are not the same.
  static func divergence(in views: [PeerView]) -> String? {
    for (index, view) in views.enumerated() {
      for other in views.dropFirst(index + 1)
      where other.digest != view.digest && other.vector == view.vector {
        let names = SmallNames.names
        return "\(names[view.number]) and \(names[other.number]) have equal vectors, not digests"
      }
    }
    return nil
  }

  /// What is wrong when nothing is under way any more.
  static func faultAtRest(in views: [PeerView]) -> String? {
    let all = views.map(\.own.count)
    for view in views {
      let name = SmallNames.names[view.number]
      if view.phase != .idle { return "\(name) does not end its turn" }
      if Array(view.vector.prefix(all.count)) != all {
        return "\(name) came to rest at \(view.vector), durable is \(all)"
      }
      if view.history != view.vector {
        return "\(name) came to rest with the history \(view.history) of \(view.vector)"
      }
    }
    return nil
  }

  /// What is wrong with one peer at some moment; of the others only their own changes matter.
  static func fault(of view: PeerView, among views: [PeerView]) -> String? {
    let name = SmallNames.names[view.number]
    let text =
      view.fault ?? aheadFault(of: view, among: views) ?? truthFault(of: view, among: views)
      ?? logFault(of: view, among: views)
    return text.map { "\(name): \($0)" }
  }

  /// The vector is never ahead of what is durable at the author.
  private static func aheadFault(of view: PeerView, among views: [PeerView]) -> String? {
    for other in views {
      let has = view.vector[other.number]
      let durable = other.own.count + (other.number == view.number ? view.made.count : 0)
      if has > durable {
        return "it covers \(SmallNames.names[other.number]):\(has), durable there is \(durable)"
      }
    }
    return nil
  }

  /// Each register holds the greatest write that the vector covers.
  private static func truthFault(of view: PeerView, among views: [PeerView]) -> String? {
    let known = views.flatMap { $0.own.prefix(view.vector[$0.number]) } + view.made
    for (register, cell) in zip(SmallPeer.registers, view.cells) {
      var best: Change?
      for change in known where change.operations.contains(where: { $0.register == register }) {
        if best.map({ order(change) > order($0) }) ?? true { best = change }
      }
      let right = best?.operations.first { $0.register == register }
      guard cell?.operation == right, cell?.stamp == best?.stamp else {
        let holds = cell.map { SmallNames.text($0.stamp.dot) } ?? "nothing"
        return "\(register) holds \(holds) (\(cell.map { "\($0.operation)" } ?? "")), "
          + "right is \(best.map { SmallNames.text($0.dot) } ?? "nothing")"
      }
    }
    return nil
  }

  private static func order(_ change: Change) -> (UInt64, UInt128, UInt64) {
    let stamp = change.stamp
    return (stamp.timestamp.bits, stamp.dot.replica.bits, stamp.dot.sequence)
  }

  /// A whole change on a disk is what its author has under that name, and each is there once.
  private static func logFault(of view: PeerView, among views: [PeerView]) -> String? {
    var count = [Int](repeating: 0, count: SmallNames.names.count)
    for change in view.logged {
      let author = SmallNames.number(of: change.dot.replica)
      let own = views[author].own
      count[author] += 1
      guard change.dot.sequence <= own.count, own[Int(change.dot.sequence) - 1] == change else {
        return "its \(SmallNames.text(change.dot)) is not the one of its author"
      }
      guard change.dot.sequence == count[author] else {
        return "its history has \(SmallNames.text(change.dot)) after \(count[author] - 1)"
      }
    }
    return nil
  }
}
