import HyperbasisCore

/// One step of a workload: what a peer is asked to do. Any step is legal: what an action cannot do
/// to the state that it meets is turned into what it can.
struct Step {
  let node: Int
  let space: Int
  let actions: [Action]
  /// Milliseconds since it happened, for a step that is recorded afterwards, as an import does.
  var past: Int?

  enum Action {
    case create(anchor: Int, Transform)
    case move(anchor: Int, Transform)
    case set(anchor: Int, Key, Value)
    case unset(anchor: Int, Key)
    /// Sets all values of the anchor, and its transform, to others that look the same.
    case setAlike(anchor: Int)
    case delete(anchor: Int)
    case restore(anchor: Int)
    case rename(Key?)
    case map(Int?)
    case deleteSpace
    case restoreSpace
    case join
  }
}

enum Workload {
  /// Keys that look alike, and awkward ones.
  private static let keys: [Key] = [
    "", "a", "A", "caf\u{E9}", "cafe\u{301}", "k\0", "\u{200F}",
    Key(String(repeating: "k", count: 300)),
  ]

  private static let values: [Value] = [
    .null, .bool(true), .int(3), .double(3), .double(0.0), .double(-0.0), .int(.min), .int(.max),
    .int(9_007_199_254_740_993), .double(.leastNonzeroMagnitude), .string(""), .string("caf\u{E9}"),
    .string("cafe\u{301}"), .array([.int(1), .double(1)]), .array([]),
    .object(Value.Object([.init(key: "x", value: .null), .init(key: "", value: .int(-1))])!),
  ]

  static func steps(_ options: SimulationOptions, _ random: inout RandomSource) -> [Step] {
    var steps = (0..<options.operations).map { _ in
      let isTransaction = random.chance(Ratio(1, in: 6))
      let count = isTransaction ? random.within(2...8) : 1
      return Step(
        node: random.below(options.peers), space: random.below(options.spaces),
        actions: (0..<count).map { _ in action(options, &random) }, past: past(options, &random))
    }
    if options.alike != .never {
      for (index, step) in steps.enumerated() where random.chance(options.alike) {
        let actions = [Step.Action.setAlike(anchor: random.below(options.anchors))]
        steps[index] = Step(node: step.node, space: step.space, actions: actions)
      }
    }
    if options.drag != .never { addDrags(to: &steps, options, &random) }
    return steps
  }

  /// Long runs of moves, by which nearly all that a log holds is superseded.
  private static func addDrags(
    to steps: inout [Step], _ options: SimulationOptions, _ random: inout RandomSource
  ) {
    var index = 0
    while index < steps.count {
      let length = random.chance(options.drag) ? random.within(80...160) : 1
      let anchor = random.below(options.anchors)
      let (first, end) = (steps[index], min(index + length, steps.count))
      for number in index..<end where length > 1 {
        steps[number] = Step(
          node: first.node, space: first.space,
          actions: [.move(anchor: anchor, transform(&random))])
      }
      index = end
    }
  }

  /// Few times, so that several changes bear the same.
  private static func past(_ options: SimulationOptions, _ random: inout RandomSource) -> Int? {
    // Worlds without it draw nothing, and stay as they are.
    guard options.past != .never, random.chance(options.past) else { return nil }
    return random.pick([0, 1, 1_000, 60_000, 1_000_000])
  }

  private static func action(
    _ options: SimulationOptions, _ random: inout RandomSource
  ) -> Step.Action {
    let anchor = random.below(options.anchors)
    switch random.below(23) {
    case 0..<4: return .create(anchor: anchor, transform(&random))
    case 4..<8: return .move(anchor: anchor, transform(&random))
    case 8..<13: return .set(anchor: anchor, random.pick(keys), value(options, &random))
    case 13..<15: return .unset(anchor: anchor, random.pick(keys))
    case 15..<17: return .delete(anchor: anchor)
    case 17: return .restore(anchor: anchor)
    case 18: return .rename(random.chance(Ratio(1, in: 9)) ? nil : random.pick(keys))
    case 19: return .map(map(&random))
    case 20: return .deleteSpace
    case 21: return .restoreSpace
    default: return .join
    }
  }

  private static func transform(_ random: inout RandomSource) -> Transform {
    let numbers: [Float] = [0, -0.0, 1.5, -2.25, .leastNonzeroMagnitude, 3e38]
    let position = (random.pick(numbers), random.pick(numbers), random.pick(numbers))
    do { return try Transform.identity.moved(to: position) } catch {
      preconditionFailure("the numbers are finite")
    }
  }

  private static func map(_ random: inout RandomSource) -> Int? {
    random.chance(Ratio(7, in: 8)) ? random.below(SimulatedMap.numbers.count) : nil
  }

  private static func value(
    _ options: SimulationOptions, _ random: inout RandomSource
  ) -> Value {
    if random.chance(options.largeValues) {
      let letter = random.pick(["x", "y", "z"])
      return .string(String(repeating: letter, count: random.within(60_000...70_000)))
    }
    return random.pick(values)
  }
}

extension Step {
  /// The operations of this step on a state; each register at most once, the first write wins.
  func operations(on state: SpaceState, wall: UInt64) -> [Operation] {
    var seen = Set<Register>()
    return actions.flatMap { operations(for: $0, on: state, wall: Int64(wall)) }
      .filter { seen.insert($0.register).inserted }
  }

  static func anchorID(_ number: Int) -> AnchorID {
    AnchorID(UInt128(number + 1) &* 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
  }

  private func operations(
    for action: Action, on state: SpaceState, wall: Int64
  ) -> [Operation] {
    func existing(_ number: Int) -> Anchor? { state.anchor(Step.anchorID(number)) }
    switch action {
    case .create(let number, let transform):
      let id = Step.anchorID(number)
      guard existing(number) == nil else { return [.transform(id, transform)] }
      return [
        .existence(id, Existence(created: wall)), .transform(id, transform),
        .metadata(id, "kind", .string("wall")),
      ]
    case .move(let number, let transform): return [.transform(Step.anchorID(number), transform)]
    case .set(let number, let key, let value):
      return [.metadata(Step.anchorID(number), key, value)]
    case .unset(let number, let key): return [.metadata(Step.anchorID(number), key, nil)]
    case .setAlike(let number): return existing(number).map(Alike.operations) ?? []
    case .delete(let number):
      guard let anchor = existing(number), anchor.deleted == nil else { return [] }
      return [.existence(anchor.id, Existence(created: anchor.created, deleted: wall))]
    case .restore(let number):
      guard let anchor = existing(number), anchor.deleted != nil else { return [] }
      return [.existence(anchor.id, Existence(created: anchor.created, restored: wall))]
    case .rename(let name): return [.name(name)]
    case .map(let map): return [.worldMap(map.map(SimulatedMap.reference))]
    case .deleteSpace:
      let created = state.record.existence?.created ?? wall
      return [.spaceExistence(Existence(created: created, deleted: wall))]
    case .restoreSpace:
      let created = state.record.existence?.created ?? wall
      return [.spaceExistence(Existence(created: created, restored: wall))]
    case .join: return []
    }
  }
}
