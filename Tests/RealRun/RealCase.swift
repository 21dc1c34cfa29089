import HyperbasisSimulator

/// The case of a seed whose operations and faults are such as real hosts can have.
enum RealCase {
  /// About four operations a second, and a fault of each kind every few seconds.
  /// `knobs` replace what the seed drew; nil when there is no such knob, or they are too much.
  /// In runs of hours there are fewer operations, as many as a case can have; times are stretched.
  static func drawn(
    seed: UInt64, hosts: Int, seconds: Int, knobs: [String]
  ) -> SimulationCase? {
    var random = RandomSource(seed: seed ^ 0x7265_616c_2072_756e)
    var options = SimulationOptions()
    options.peers = hosts
    options.spaces = random.pick([1, 1, 1, 2])
    options.operations = max(1, seconds * 4)
    options.anchors = random.pick([2, 4, 8])
    options.transactions = random.pick([.never, Ratio(1, in: 6), Ratio(1, in: 3)])
    options.transactionActions = 2...random.pick([3, 8])
    options.largeValues = random.chance(Ratio(1, in: 4)) ? Ratio(1, in: 20) : .never
    options.operationGap = 0...1_000
    options.faults = FaultRates()
    for kind in kinds where random.chance(Ratio(2, in: 3)) {
      options.faults[kind] = random.pick([Ratio(1, in: 100), Ratio(1, in: 50)])
    }
    for knob in knobs where !options.set(knob) { return nil }
    options.fit(keeping: Set(knobs.map { String($0.prefix { $0 != "=" }) }))
    guard options.excess == nil else { return nil }
    return SimulationCase(seed: seed, options: options)
  }

  /// What processes and links of this machine can be made to suffer.
  private static let kinds: [Fault.Kind] = [
    .cut, .crash, .stop, .partition, .clog, .clockFreeze, .slowDisk,
  ]
}
