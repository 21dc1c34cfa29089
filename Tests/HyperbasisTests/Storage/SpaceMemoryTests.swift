import Foundation
import HyperbasisCore
import Testing

@testable import Hyperbasis

/// The memory of a space looks lists up one anchor at a time, and takes over what did not change: it
/// must say the same as one that notes every anchor of every list.
@Suite(.timeLimit(.minutes(5))) struct SpaceMemoryTests {
  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `what is known of lists is as if each anchor had been noted by itself`(seed: UInt64) throws {
    var world = World(seed: seed)
    for step in 0..<80 {
      try world.step()
      try #require(world.differences() == [], "seed \(seed), step \(step)")
    }
  }

  /// A space, the memory of what it showed, and the same noted one by one.
  private struct World {
    private var random: SplitMix
    private var state = SpaceState(id: SpaceID(0x5ACE))
    private var statesSince = EditMoment.next()
    private var sequence: UInt64 = 0
    private let scope = EditScope()
    private var memory = SpaceMemory(since: .zero)
    private var eager: [UUID: SaveBase] = [:]
    /// Lists that are handed out in another order than they were read.
    private var late: [ShownAnchors] = []
    private let ids = (1...6 as ClosedRange<UInt128>).map { AnchorID($0) }
    private let keys: [Key] = ["a", "b", "caf\u{E9}", "cafe\u{301}"]

    init(seed: UInt64) {
      random = SplitMix(seed: seed)
    }

    private mutating func below(_ limit: Int) -> Int {
      Int(random.next() % UInt64(limit))
    }

    mutating func step() throws {
      switch below(10) {
      case 0...3: try write()
      case 4...6: note(try load())
      case 7: late.append(try load())
      case 8:
        if !late.isEmpty { note(late.remove(at: below(late.count))) }
      default:
        if below(12) == 0 { statesSince = .next() } else { noteOne() }
      }
    }

    /// A peer writes to an anchor.
    private mutating func write() throws {
      let id = ids[below(ids.count)]
      sequence += 1
      let created = Int64(below(3)) * 1_000_000
      let operation: HyperbasisCore.Operation =
        switch below(6) {
        case 0: .existence(id, Existence(created: created, deleted: 5))
        case 1, 2: .existence(id, Existence(created: created, restored: 6))
        case 3: .metadata(id, keys[below(keys.count)], nil)
        default: .metadata(id, keys[below(keys.count)], .int(Int64(sequence)))
        }
      let dot = Dot(replica: ReplicaID(1), sequence: sequence)
      let stamp = Stamp(timestamp: Timestamp(bits: sequence), dot: dot)
      _ = try state.apply(Change(stamp: stamp, operations: [operation]))
    }

    /// As ``PeerLoop/anchorNews(of:since:includingDeleted:)``.
    private func load() throws -> ShownAnchors {
      let point = ReadPoint(
        vector: state.vector, floor: state.floor, joins: 0, statesSince: statesSince,
        moment: .next())
      let last = memory.list?.shown
      let shown = ShownAnchors(
        AnchorNews(state, at: point, since: last, deleted: []), in: state.id, from: scope)
      let all = state.anchorsByCreation()
      #expect(shown.anchors == all.map { HBAnchor($0, in: state.id, from: scope) })
      return shown
    }

    private mutating func note(_ shown: ShownAnchors) {
      let known = EditMoment.next()
      memory.note(shown, known: known)
      for anchor in shown.anchors {
        noteEagerly(
          SaveBase(anchor, known: KnownKeys(since: known), noted: shown.point.moment))
      }
    }

    /// A save of what may be something else than the space has, or a load of one.
    private mutating func noteOne() {
      guard let anchor = state.anchor(ids[below(ids.count)]) else { return }
      var value = HBAnchor(anchor, in: state.id, from: scope)
      if below(2) == 0 { value.metadata["a"] = below(2) == 0 ? nil : 7 }
      let moment = EditMoment.next()
      let base = SaveBase(value, known: KnownKeys(since: moment), noted: moment)
      memory.set(base)
      noteEagerly(base)
    }

    private mutating func noteEagerly(_ base: SaveBase) {
      eager[base.value.id] = base.noted(over: eager[base.value.id])
    }

    /// What differs between the memory and the other.
    mutating func differences() -> [String] {
      ids.map(UUID.init).flatMap { id -> [String] in
        let (lazy, eager) = (memory.base(of: id), eager[id])
        guard let lazy, let eager, lazy.value == eager.value else {
          return lazy == nil && eager == nil ? [] : ["value of \(id)"]
        }
        return eager.value.metadata.keys.map { Key($0) }
          .filter { lazy.known.moment(of: $0) != eager.known.moment(of: $0) }
          .map { "moment of \(id), \($0.text)" }
      }
    }
  }
}
