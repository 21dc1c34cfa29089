/// Every knob of a simulated world. ``drawn(from:)`` chooses them all from a seed.
public struct SimulationOptions: Equatable, Sendable {
  /// Who may dial whom.
  public enum Topology: String, CaseIterable, Sendable {
    case full, chain, ring, star
  }

  public enum Clocks: String, CaseIterable, Sendable {
    /// Up to 100 seconds apart, and stepped now and then.
    case skewed
    /// All at one and the same millisecond for ever, so that stamps are often equal.
    case frozen
  }

  /// A fault of the virtual disks, for the tests of the checkers: each happens to the last change of
  /// a commit whose sequence is a multiple of five.
  public enum Plant: String, CaseIterable, Sendable {
    /// It is not kept, though the history's vector covers it.
    case lostChange
    case doubleChange
    case alteredChange
    /// It is not found under its anchor.
    case wrongSlot
  }

  /// 2 to 16.
  public var peers = 4
  public var spaces = 1
  public var operations = 120
  /// Anchors that the operations choose from, per space.
  public var anchors = 12
  public var topology = Topology.full
  public var clocks = Clocks.skewed
  /// How often a value has some 64 kB.
  public var largeValues = Ratio.never
  /// How often a change is recorded under a time of the past.
  public var past = Ratio.never
  /// Milliseconds between operations.
  public var operationGap = 0...150
  /// Milliseconds that a chunk of bytes is under way.
  public var delay = 1...30
  /// Milliseconds that a commit takes.
  public var commitDelay = 0...20
  public var commitFailure = Ratio(1, in: 50)
  /// How often, per tenth of a second, each of these happens.
  public var cut = Ratio(1, in: 20)
  public var crash = Ratio(1, in: 40)
  public var partition = Ratio(1, in: 60)
  public var clockStep = Ratio(1, in: 30)
  /// How often a peer dials another although a link to it is open.
  public var needlessDial = Ratio(1, in: 10)
  /// How often the end of a broken link is not told to a side, which then hears only silence.
  public var silentLoss = Ratio(1, in: 3)
  /// Most bytes that arrive at once before the network heals.
  public var arrival = 40_000
  /// How often a step begins a drag: one anchor moved on and on by one peer.
  public var drag = Ratio.never
  /// How often a value is set that looks like the one that is there, and is another.
  public var alike = Ratio.never
  /// Whether the last peer starts only when the network heals.
  public var latecomer = false
  /// How often a blob is damaged on its way.
  public var damage = Ratio.never
  /// Bytes at which the engine closes a batch.
  public var batchBytes = 65_536
  /// Bytes of recent changes that the engine keeps for live peers.
  public var recentBytes = 1_048_576
  public var plant: Plant?

  public init() {}

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
    options.largeValues = random.pick([.never, .never, .never, Ratio(1, in: 20), Ratio(1, in: 5)])
    options.operationGap = 0...random.pick([5, 50, 150, 400])
    options.delay = 1...random.pick([1, 10, 30, 200])
    options.commitDelay = 0...random.pick([0, 1, 20, 100])
    options.commitFailure = random.pick([.never, Ratio(1, in: 200), Ratio(1, in: 30)])
    options.cut = random.pick([.never, Ratio(1, in: 50), Ratio(1, in: 10), Ratio(1, in: 3)])
    options.crash = random.pick([.never, Ratio(1, in: 60), Ratio(1, in: 15)])
    options.partition = random.pick([.never, Ratio(1, in: 60), Ratio(1, in: 20)])
    options.clockStep = random.pick([.never, Ratio(1, in: 20)])
    options.needlessDial = random.pick([.never, Ratio(1, in: 50), Ratio(1, in: 10)])
    options.silentLoss = random.pick([.never, Ratio(1, in: 3), Ratio(9, in: 10)])
    options.batchBytes = random.pick([1, 200, 2_000, 65_536])
    options.recentBytes = random.pick([0, 400, 4_000, 1_048_576])
    options.past = random.pick([.never, .never, Ratio(1, in: 10), Ratio(1, in: 3)])
    options.damage = random.pick([.never, .never, .never, Ratio(1, in: 10)])
    options.arrival = random.pick([40_000, 40_000, 40_000, 300])
    options.drag = random.pick([.never, .never, Ratio(1, in: 20)])
    options.latecomer = random.pick([false, false, true])
    options.alike = random.pick([.never, Ratio(1, in: 10)])
    return options
  }
}

extension SimulationOptions: CustomStringConvertible {
  public var description: String {
    let fields = [
      "peers=\(peers)", "spaces=\(spaces)", "operations=\(operations)", "anchors=\(anchors)",
      "topology=\(topology.rawValue)", "clocks=\(clocks.rawValue)", "largeValues=\(largeValues)",
      "operationGap=\(operationGap)", "delay=\(delay)", "commitDelay=\(commitDelay)",
      "commitFailure=\(commitFailure)", "cut=\(cut)", "crash=\(crash)", "partition=\(partition)",
      "clockStep=\(clockStep)", "needlessDial=\(needlessDial)", "silentLoss=\(silentLoss)",
      "batchBytes=\(batchBytes)", "recentBytes=\(recentBytes)",
      "past=\(past)", "damage=\(damage)", "arrival=\(arrival)", "drag=\(drag)",
      "latecomer=\(latecomer)", "alike=\(alike)",
    ]
    let planted = plant.map { ["plant=\($0.rawValue)"] } ?? []
    return (fields + planted).joined(separator: " ")
  }
}
