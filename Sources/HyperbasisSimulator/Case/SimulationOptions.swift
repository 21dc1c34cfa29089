/// Every knob of a simulated world. ``drawn(from:)`` chooses them all from a seed.
///
/// ```swift
/// var options = SimulationOptions()
/// options.peers = 3
/// options.faults[.crash] = Ratio(1, in: 40)
/// print(Simulation.run(seed: 7, options: options))
/// ```
///
/// Its text, `peers=3 spaces=1 ...`, holds all of it and can be read back. What is legal alone can be too
/// much together, as 64 peers in a full mesh with 16 spaces: such a text is refused, and such options
/// are no world's.
public struct SimulationOptions: Equatable, Sendable {
  /// Who may dial whom.
  public enum Topology: String, CaseIterable, Sendable {
    /// Everybody everybody.
    case full
    /// Each the one before and the one after.
    case chain
    /// As a chain with its ends joined.
    case ring
    /// All others the first.
    case star
  }

  /// What the wall clocks show.
  public enum Clocks: String, CaseIterable, Sendable {
    /// Up to 100 seconds apart, and up to 200 parts in a million too fast or too slow.
    case skewed
    /// All at one and the same millisecond for ever, so that stamps are often equal.
    case frozen
  }

  /// A fault of the virtual disks, for the tests of the checkers: each happens to the last change of
  /// a commit whose sequence is a multiple of five.
  public enum Plant: String, CaseIterable, Sendable {
    /// It is not kept, though the history's vector covers it.
    case lostChange
    /// It is kept twice.
    case doubleChange
    /// It is kept with other operations.
    case alteredChange
    /// It is not found under its anchor.
    case wrongSlot
  }

  /// 2 to 64.
  public var peers = 4
  /// 1 to 16; fewer for many peers.
  public var spaces = 1
  /// How many operations peers are asked for, those of transactions counted one by one; times the peers
  /// at most 200,000, where those with large values count a hundredfold.
  public var operations = 120
  /// Anchors that the operations choose from, per space.
  public var anchors = 12
  /// Who may dial whom.
  public var topology = Topology.full
  /// What the wall clocks show.
  public var clocks = Clocks.skewed
  /// How often a value has some 64 kB.
  public var largeValues = Ratio.never
  /// How often a change is recorded under a time of the past.
  public var past = Ratio.never
  /// How often an operation is a transaction of several actions.
  public var transactions = Ratio(1, in: 6)
  /// Actions of a transaction.
  public var transactionActions = 2...8
  /// Milliseconds between operations; the last comes within 16,777,216, and
  /// sooner where there are more than 16 links.
  public var operationGap = 0...150
  /// Milliseconds that a chunk of bytes is under way.
  public var delay = 1...30
  /// How often a chunk takes ten times as long.
  public var stragglers = Ratio.never
  /// How often only a few of the bytes that are under way arrive.
  public var crumbs = Ratio(1, in: 10)
  /// Milliseconds that a commit takes.
  public var commitDelay = 0...20
  /// How often a disk refuses a commit or a read.
  public var commitFailure = Ratio(1, in: 50)
  /// How often a peer dials another although a link to it is open.
  public var needlessDial = Ratio(1, in: 10)
  /// How often the end of a broken link is not told to a side, which then hears only silence.
  public var silentLoss = Ratio(1, in: 3)
  /// What goes wrong until the network heals, and how often: 10,000 times at most.
  public var faults = FaultRates()
  /// How often a value is set that looks like the one that is there, and is another.
  public var alike = Ratio.never
  /// How often a step begins a drag: one anchor moved on and on by one peer.
  public var drag = Ratio.never
  /// Whether the last peer starts only when the network heals.
  public var latecomer = false
  /// How often a part of a map is damaged on its way, until the network heals.
  public var damage = Ratio.never
  /// Most bytes that arrive at once until the network heals.
  public var arrival = SimulationOptions.allAtOnce
  /// Bytes at which the engine closes a batch.
  public var batchBytes = 65_536
  /// Bytes of recent changes that the engine keeps for live peers.
  public var recentBytes = 1_048_576
  /// How often a step says what a space keeps of its past, or retires a peer from it.
  public var retention = Ratio.never
  /// A fault of the disks, for the tests of the checkers.
  public var plant: Plant?

  /// An ``arrival`` that bounds nothing.
  private static let allAtOnce = 1 << 24

  /// Four peers in a full mesh, with cuts, crashes, partitions and clock steps.
  public init() {
    faults[.cut] = Ratio(1, in: 20)
    faults[.crash] = Ratio(1, in: 40)
    faults[.partition] = Ratio(1, in: 60)
    faults[.clockStep] = Ratio(1, in: 30)
  }

  /// The options of a seed: each knob drawn on its own, so that every mixture is met.
  public static func drawn(from seed: UInt64) -> SimulationOptions {
    var random = RandomSource(seed: seed ^ 0x6f70_7469_6f6e_7321)
    var options = SimulationOptions()
    options.peers = random.pick([2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 6, 8, 8, 16])
    options.spaces = random.pick([1, 1, 1, 2, 3])
    options.operations = random.within(20...250)
    options.anchors = random.pick([1, 2, 5, 20, 60])
    options.topology = random.pick(Topology.allCases)
    options.clocks = random.pick(Clocks.allCases)
    options.largeValues = random.chance(Ratio(1, in: 12)) ? Ratio(1, in: 20) : .never
    options.past = random.pick([.never, .never, Ratio(1, in: 10), Ratio(1, in: 3)])
    options.transactions = random.pick([.never, Ratio(1, in: 6), Ratio(1, in: 2)])
    options.transactionActions = 2...random.pick([2, 8, 30])
    options.operationGap = 0...random.pick([5, 50, 150, 400])
    options.delay = 1...random.pick([1, 10, 30, 200])
    options.stragglers = random.pick([.never, .never, Ratio(1, in: 20)])
    options.crumbs = random.pick([.never, .never, Ratio(1, in: 50), Ratio(1, in: 5)])
    options.commitDelay = 0...random.pick([0, 1, 20, 100])
    options.commitFailure = random.pick([.never, Ratio(1, in: 200), Ratio(1, in: 30)])
    options.needlessDial = random.pick([.never, Ratio(1, in: 50), Ratio(1, in: 10)])
    options.silentLoss = random.pick([.never, Ratio(1, in: 3), Ratio(9, in: 10)])
    options.batchBytes = random.pick([1, 200, 2_000, 65_536])
    options.recentBytes = random.pick([0, 400, 4_000, 1_048_576])
    options.faults = faults(&random)
    options.alike = random.pick([.never, Ratio(1, in: 10)])
    options.drag = random.pick([.never, .never, Ratio(1, in: 20)])
    options.latecomer = random.chance(Ratio(1, in: 3))
    options.damage = random.pick([.never, .never, .never, Ratio(1, in: 10)])
    options.arrival = random.pick([allAtOnce, allAtOnce, allAtOnce, 300])
    options.retention = random.pick([.never, .never, Ratio(1, in: 50), Ratio(1, in: 20)])
    options.faults[.wrongClock] = random.pick([.never, .never, .never, Ratio(1, in: 100)])
    return options
  }

  /// Each kind is absent from half of all worlds, so that what it hides is met without it.
  private static func faults(_ random: inout RandomSource) -> FaultRates {
    var rates = FaultRates()
    rates[.cut] = random.pick([.never, Ratio(1, in: 50), Ratio(1, in: 10), Ratio(1, in: 3)])
    rates[.crash] = random.pick([.never, Ratio(1, in: 60), Ratio(1, in: 15)])
    for kind in Fault.Kind.allCases where ![.cut, .crash, .wrongClock].contains(kind) {
      let isWanted = random.chance(Ratio(1, in: 2))
      rates[kind] = isWanted ? random.pick([Ratio(1, in: 100), Ratio(1, in: 30)]) : .never
    }
    // A peer that is another one from then on: now and then, and not in every second world.
    for kind in [Fault.Kind.lostTail, .restore, .clone] where !random.chance(Ratio(1, in: 4)) {
      rates[kind] = .never
    }
    return rates
  }
}
