import HyperbasisCore

/// A seeded source of chance, so that a failing case is found again.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}

let space = SpaceID(0x5ACE)

func replica(_ number: Int) -> ReplicaID { ReplicaID(UInt128(number)) }
func anchor(_ number: Int) -> AnchorID { AnchorID(UInt128(number)) }

func change(
  _ author: Int, _ sequence: UInt64, at timestamp: UInt64, _ operations: [Operation]
) -> Change {
  Change(
    stamp: Stamp(
      timestamp: Timestamp(bits: timestamp),
      dot: Dot(replica: replica(author), sequence: sequence),
      date: sequence % 2 == 0 ? nil : Int64(sequence) * 1_234_567),
    operations: operations)
}

/// Awkward values that must keep their type and bits.
let values: [Value] = [
  .null, .bool(true), .bool(false), .int(0), .int(1), .int(-1), .int(.min), .int(.max),
  .int(9_007_199_254_740_993), .double(1), .double(0.0), .double(-0.0), .double(0.1),
  .double(.leastNonzeroMagnitude), .double(1e308), .string(""), .string("caf\u{E9}"),
  .string("cafe\u{301}"), .array([.int(1), .double(1), .array([])]),
  .object(
    Value.Object([
      .init(key: "b", value: .double(-0.0)), .init(key: "", value: .null),
      .init(key: "caf\u{E9}", value: .int(1)), .init(key: "cafe\u{301}", value: .int(2)),
    ])!),
]

/// Changes of several authors whose stamps often have equal timestamps.
struct Scenario {
  let changes: [Change]

  /// In each author's order, the authors mixed; timestamps rise per author.
  init(seed: UInt64, authors: Int, count: Int, anchors: Int = 3, ties: UInt64 = 3) {
    var random = SplitMix(seed: seed)
    var sequences = Array(repeating: UInt64(0), count: authors)
    var clocks = Array(repeating: UInt64(0), count: authors)
    changes = (0..<count).map { _ in
      let author = Int.random(in: 0..<authors, using: &random)
      sequences[author] += 1
      clocks[author] += UInt64.random(in: 1...ties, using: &random)
      var seen = Set<Register>()
      let operations = (0..<Int.random(in: 1...4, using: &random))
        .map { _ in Scenario.operation(anchors, &random) }
        .filter { seen.insert($0.register).inserted }
      return change(author + 1, sequences[author], at: clocks[author], operations)
    }
  }

  static func operation(_ anchors: Int, _ random: inout SplitMix) -> Operation {
    let id = anchor(Int.random(in: 1...anchors, using: &random))
    let keys: [Key] = ["", "a", "caf\u{E9}", "cafe\u{301}"]
    let number = Float(Int.random(in: -3...3, using: &random))
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return .name(Bool.random(using: &random) ? keys.randomElement(using: &random)! : nil)
    case 8: return .spaceExistence(Existence(created: 1, deleted: number > 0 ? 2 : nil))
    case 9:
      let hash = ContentHash(high: UInt128(abs(number)), low: 7)
      return .worldMap(number > 0 ? MapReference(manifest: hash, byteCount: 9) : nil)
    case 1:
      let existence =
        number < 0
        ? Existence(created: 1, restored: Int64(number)) : Existence(created: Int64(number))
      return .existence(id, existence)
    case 2: return .existence(id, Existence(created: 1, deleted: Int64(number)))
    case 3, 4: return .transform(id, try! Transform.identity.moved(to: (number, -0.0, 1)))
    case 5: return .metadata(id, keys.randomElement(using: &random)!, nil)
    default:
      return .metadata(
        id, keys.randomElement(using: &random)!, values.randomElement(using: &random)!)
    }
  }

  /// A random order in which each author's changes stay in sequence.
  func delivery(_ random: inout SplitMix) -> [Change] {
    var queues: [[Change]] = []
    for replica in Set(changes.map(\.dot.replica)).sorted() {
      queues.append(changes.filter { $0.dot.replica == replica }.reversed())
    }
    var order: [Change] = []
    while !queues.isEmpty {
      let index = Int.random(in: 0..<queues.count, using: &random)
      order.append(queues[index].removeLast())
      if queues[index].isEmpty { queues.remove(at: index) }
    }
    return order
  }
}

/// Every order of `items` in which those of one author stay in sequence.
func deliveries(_ items: [Change]) -> [[Change]] {
  guard !items.isEmpty else { return [[]] }
  var orders: [[Change]] = []
  for (index, item) in items.enumerated()
  where !items[..<index].contains(where: { $0.dot.replica == item.dot.replica }) {
    var rest = items
    rest.remove(at: index)
    orders += deliveries(rest).map { [item] + $0 }
  }
  return orders
}

func state(_ changes: [Change]) throws -> SpaceState {
  var state = SpaceState(id: space)
  for change in changes { _ = try state.apply(change) }
  return state
}

/// What two states must share to be the same.
func sameState(_ left: SpaceState, _ right: SpaceState) -> Bool {
  left.digest == right.digest && left.vector == right.vector
    && left.anchors(includingDeleted: true) == right.anchors(includingDeleted: true)
    && left.name.map { Array($0.utf8) } == right.name.map { Array($0.utf8) }
    && left.counts == right.counts
}
