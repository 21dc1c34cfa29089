import HyperbasisCore
import HyperbasisSync

/// Changes as they may follow each other on one link: of several spaces and authors, over more anchors and keys than
/// a link knows by number, which come back.
struct LiveStream {
  private var chance: Chance
  /// By space and author: the last sequence.
  private var sequences: [[UInt64]]
  private var time: UInt64 = 1_700_000_000_000 << 16
  /// By anchor, as far as one was sent.
  private var transforms: [Int: Transform] = [:]
  /// The anchor that is dragged.
  private var dragged = 1

  static let spaces = 3
  static let authors = 4
  static let anchors = Limits.liveAnchors + 300
  static let keys = Limits.liveKeys + 60

  init(seed: UInt64) {
    chance = Chance(state: seed)
    sequences = Array(repeating: Array(repeating: 0, count: Self.authors), count: Self.spaces)
  }

  mutating func next() -> (space: SpaceID, change: Change) {
    let (space, author) = (below(Self.spaces), below(10) < 7 ? 0 : below(Self.authors))
    sequences[space][author] += below(20) == 0 ? UInt64(1 + below(5)) : 1
    if below(200) == 0 { sequences[space][author] = UInt64(Limits.sequence) - UInt64(below(2)) }
    if below(200) == 0 { sequences[space][author] = 1 }
    sequences[space][author] = min(sequences[space][author], UInt64(Limits.sequence))
    time &+= UInt64(below(1 << 21))
    let timestamp =
      switch below(60) {
      case 0: Timestamp(bits: [0, .max, 1 << 63, time &- 1 << 40].randomElement(using: &chance)!)
      case 1...9: Timestamp(bits: time)
      default: Timestamp(bits: time & ~0xFF)
      }
    let stamp = Stamp(
      timestamp: timestamp,
      dot: Dot(replica: replica(author), sequence: sequences[space][author]), date: date(timestamp))
    if below(20) == 0 { dragged = 1 + below(Self.anchors) }
    var seen = Set<Register>()
    let operations = (0..<(below(4) > 0 ? 1 : 1 + below(8)))
      .map { _ in operation() }.filter { seen.insert($0.register).inserted }
    return (SpaceID(UInt128(space)), Change(stamp: stamp, operations: operations))
  }

  private mutating func date(_ timestamp: Timestamp) -> Int64? {
    switch below(8) {
    case 0: timestamp.nanoseconds &+ Int64(below(2_000_000)) &- 1_000_000
    case 1: [Int64.min, .max, 0, -1].randomElement(using: &chance)
    default: nil
    }
  }

  private mutating func operation() -> HyperbasisCore.Operation {
    let number = below(3) > 0 ? dragged : 1 + below(Self.anchors)
    let id = anchor(number)
    let dates: [Int64] = [0, 1, .min, .max, 1_700_000_000_000_000_000]
    let date = dates.randomElement(using: &chance)!
    switch below(24) {
    case 0: return .name(below(2) == 0 ? nil : key())
    case 1:
      return .worldMap(
        below(2) == 0 ? nil : MapReference(manifest: ContentHash(high: 1, low: 2), byteCount: 9))
    case 2: return .retention([.everything, .seconds(60), .latest].randomElement(using: &chance)!)
    case 3:
      let membership: Membership =
        below(2) == 0 ? .retired : .kept(Dot(replica: replica(2), sequence: 3))
      return .member(replica(below(4)), membership)
    case 4: return .spaceExistence(Existence(created: date, deleted: below(2) == 0 ? nil : 5))
    case 5: return .existence(id, Existence(created: date))
    case 6:
      return .existence(id, Existence(created: date, deleted: dates.randomElement(using: &chance)))
    case 7: return .existence(id, Existence(created: 1, restored: date))
    case 8, 9: return .metadata(id, key(), nil)
    case 10...13: return .metadata(id, key(), value(depth: 0))
    default:
      transforms[number] = transform(after: transforms[number] ?? .identity)
      return .transform(id, transforms[number]!)
    }
  }

  private mutating func transform(after last: Transform) -> Transform {
    switch below(10) {
    case 0: return last
    case 1: return .identity
    case 2:
      let extremes: [Float] = [0, -0.0, .greatestFiniteMagnitude, -.leastNonzeroMagnitude, 1]
      return try! Transform((0..<16).map { _ in extremes.randomElement(using: &chance)! })
    case 3: return try! Transform(last.numbers.map { $0 * 0.5 + Float(below(100)) / 64 })
    default:
      let (x, y, z) = last.position
      let step = Float(below(64) - 32) / 1_024
      return (try? last.moved(to: (x + step, y - step, z + step / 2))) ?? .identity
    }
  }

  private mutating func key() -> Key {
    let number = below(below(2) == 0 ? 5 : Self.keys)
    return number == 1
      ? "caf\u{E9}" : number == 2 ? "cafe\u{301}" : Key(number == 0 ? "" : "k\(number)")
  }

  private mutating func value(depth: Int) -> Value {
    switch below(depth < 3 ? 9 : 7) {
    case 0: .null
    case 1: .bool(below(2) == 0)
    case 2: .int(Int64(bitPattern: chance.next()))
    case 3: .double([0.1, -0.0, 1e308].randomElement(using: &chance)!)
    case 4, 5: .string(String(repeating: "\u{E9}", count: below(9)))
    case 6: .int(Int64(below(10)))
    case 7: .array((0..<below(4)).map { _ in value(depth: depth + 1) })
    default:
      .object(
        Value.Object([
          .init(key: "b", value: value(depth: depth + 1)),
          .init(key: "", value: value(depth: depth + 1)),
        ])!)
    }
  }

  private mutating func below(_ count: Int) -> Int {
    Int.random(in: 0..<count, using: &chance)
  }
}
