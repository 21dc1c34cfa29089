import HyperbasisCore

/// The operations of a world as bytes: any bytes make a legal list, so one form serves random runs,
/// fuzzing, shrinking and files.
///
/// A step has eight bytes and five more for each action:
///
/// ```text
/// 0...3  time, milliseconds after the start, little-endian
/// 4      peer, modulo how many there are
/// 5      space, modulo how many there are
/// 6      past, modulo the kinds of it
/// 7      actions, less one
/// then   kind, anchor (two bytes, little-endian), key, value
/// ```
enum Workload {
  static let headBytes = 8
  static let actionBytes = 5

  /// The steps of a world, drawn from a source.
  static func drawn(_ options: SimulationOptions, _ random: inout RandomSource) -> [Step] {
    var time = 0
    var left = options.operations
    var steps: [Step] = []
    while left > 0 {
      time += random.within(options.operationGap)
      var step = Step(
        time: time, node: random.below(options.peers), space: random.below(options.spaces),
        past: .now, actions: [])
      if random.chance(options.past) {
        step.past = random.pick(Array(Step.Past.allCases.dropFirst()))
      }
      let count =
        random.chance(options.transactions) ? random.within(options.transactionActions) : 1
      for _ in 0..<min(count, left) { step.actions.append(drawnAction(options, &random)) }
      left -= step.actions.count
      steps.append(step)
    }
    if options.alike != .never {
      for index in steps.indices where random.chance(options.alike) {
        let anchor = random.below(options.anchors)
        steps[index].past = .now
        steps[index].actions = [Step.Action(kind: .setAlike, anchor: anchor, key: 0, value: 0)]
      }
    }
    if options.retention != .never {
      for index in steps.indices where random.chance(options.retention) {
        let kind: Step.Kind = random.chance(Ratio(1, in: 3)) ? .retain : .retire
        steps[index].past = .now
        steps[index].actions = [
          Step.Action(
            kind: kind, anchor: random.below(options.peers), key: 0,
            value: UInt8(random.below(Int(AwkwardValues.firstLargeNumber))))
        ]
      }
    }
    if options.drag != .never { addDrags(to: &steps, options, &random) }
    return steps
  }

  /// Long runs of moves of one anchor by one peer, by which nearly all that a log holds is superseded.
  private static func addDrags(
    to steps: inout [Step], _ options: SimulationOptions, _ random: inout RandomSource
  ) {
    var index = 0
    while index < steps.count {
      let length = random.chance(options.drag) ? random.within(80...160) : 1
      let anchor = random.below(options.anchors)
      let (first, end) = (steps[index], min(index + length, steps.count))
      for number in index..<end where length > 1 {
        let move = Step.Action(
          kind: .move, anchor: anchor, key: UInt8(random.below(256)),
          value: UInt8(random.below(256)))
        steps[number] = Step(
          time: steps[number].time, node: first.node, space: first.space, past: .now,
          actions: [move])
      }
      index = end
    }
  }

  private static func drawnAction(
    _ options: SimulationOptions, _ random: inout RandomSource
  ) -> Step.Action {
    let kind = random.pick(kinds)
    let value =
      random.chance(options.largeValues)
      ? 255 : random.below(Int(AwkwardValues.firstLargeNumber))
    return Step.Action(
      kind: kind, anchor: random.below(options.anchors), key: UInt8(random.below(256)),
      value: UInt8(value))
  }

  /// The kinds as often as they are drawn.
  private static let kinds: [Step.Kind] = [
    .create, .create, .create, .create, .move, .move, .move, .move, .set, .set, .set, .set, .set,
    .unset, .unset, .delete, .delete, .restore, .rollback, .rename, .map, .deleteSpace,
    .restoreSpace, .join,
  ]

  // MARK: Bytes

  /// The steps that bytes make in a world; what is left over at the end is dropped.
  static func steps(_ bytes: [UInt8], _ options: SimulationOptions) -> [Step] {
    var steps: [Step] = []
    var rest = bytes[...]
    while rest.count >= headBytes + actionBytes {
      let head = Array(rest.prefix(headBytes))
      rest = rest.dropFirst(headBytes)
      let actions = min(Int(head[7]) + 1, rest.count / actionBytes)
      let time = head[0..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
      let pasts = Step.Past.allCases
      var step = Step(
        time: time % longestMilliseconds, node: Int(head[4]) % options.peers,
        space: Int(head[5]) % options.spaces, past: pasts[Int(head[6]) % pasts.count],
        actions: [])
      for _ in 0..<actions {
        step.actions.append(action(Array(rest.prefix(actionBytes))))
        rest = rest.dropFirst(actionBytes)
      }
      steps.append(step)
    }
    return steps
  }

  /// About four hours.
  private static let longestMilliseconds = 1 << 24

  private static func action(_ bytes: [UInt8]) -> Step.Action {
    let kinds = Step.Kind.allCases
    return Step.Action(
      kind: kinds[Int(bytes[0]) % kinds.count], anchor: Int(bytes[1]) | Int(bytes[2]) << 8,
      key: bytes[3], value: bytes[4])
  }

  /// The bytes of which ``steps(_:_:)`` makes the same steps.
  static func bytes(_ step: Step) -> [UInt8] {
    let time = UInt32(truncatingIfNeeded: step.time)
    var bytes = (0..<4).map { UInt8(truncatingIfNeeded: time >> (8 * $0)) }
    bytes += [
      UInt8(step.node), UInt8(step.space), step.past.rawValue, UInt8(step.actions.count - 1),
    ]
    for action in step.actions {
      bytes += [
        action.kind.rawValue, UInt8(truncatingIfNeeded: action.anchor),
        UInt8(truncatingIfNeeded: action.anchor >> 8), action.key, action.value,
      ]
    }
    return bytes
  }
}
