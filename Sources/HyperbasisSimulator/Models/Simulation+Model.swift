extension Simulation {
  /// Runs an app's model in one world for each seed, and looks for what breaks its rules.
  ///
  /// ```swift
  /// @Test func `no vote is lost`() throws {
  ///   try Simulation.check(Poll(), seeds: 1...50)
  /// }
  /// ```
  ///
  /// In a world some peers perform operations that the model draws, on links that break, with peers that
  /// crash, disks that refuse and clocks that are off. Then all is mended, and every peer receives
  /// everything. The first world in which a rule is broken is made as small as it can be, by running up
  /// to 500 smaller ones, of two million events altogether: some fail slowly. The report says so when
  /// that ended it.
  ///
  /// - Parameters:
  ///   - model: What the app does, and what must hold.
  ///   - seeds: One world each. The same seed takes the same course everywhere.
  ///     Their options are drawn from them: 2 to 5 peers, some dozens of operations, one space, any
  ///     mixture of faults.
  /// - Returns: How many operations were acknowledged in all worlds together.
  /// - Throws: ``SimulatedModelError``, whose description is the whole report. Also when no operation was
  ///   acknowledged in any world, since nothing was shown then.
  /// - Complexity: A world takes some dozens of milliseconds in a release build, and some hundreds in debug.
  @discardableResult
  public static func check<Model: SimulatedModel>(
    _ model: Model, seeds: ClosedRange<UInt64>
  ) throws -> Int {
    try check(model, seeds, nil)
  }

  /// Runs an app's model in worlds of options that are given, as ``check(_:seeds:)`` does otherwise.
  ///
  /// ```swift
  /// try Simulation.check(
  ///   Poll(), seeds: 1...50, options: SimulationOptions(text: "peers=3 partition=1/10"))
  /// ```
  ///
  /// Of the options `anchors`, `past` and `largeValues` have no meaning for a model. Precondition: they
  /// are possible.
  @discardableResult
  public static func check<Model: SimulatedModel>(
    _ model: Model, seeds: ClosedRange<UInt64>, options: SimulationOptions
  ) throws -> Int {
    try check(model, seeds, options)
  }

  private static func check<Model: SimulatedModel>(
    _ model: Model, _ seeds: ClosedRange<UInt64>, _ options: SimulationOptions?
  ) throws -> Int {
    let rules = ModelRules(model)
    var acknowledged = 0
    for seed in seeds {
      let plan = SimulationCase(
        seed: seed, options: .forModel(options ?? .drawn(forModelFrom: seed)))
      let world = World(plan, app: rules.app)
      world.run()
      if let failure = world.failure {
        throw SimulatedModelError(smallestOf: plan, failure, rules, options)
      }
      acknowledged += world.acknowledgedCount
    }
    guard acknowledged > 0 else { throw SimulatedModelError(nothingDoneBy: model, seeds) }
    return acknowledged
  }

  /// Runs an app's model in the one world that a report names.
  ///
  /// ```swift
  /// try Simulation.check(Poll(), replaying: "seed 7\noptions peers=2\noperation 0c00...")
  /// ```
  ///
  /// Nothing is made smaller. With ``SimulationCase/text`` any case can be given.
  ///
  /// - Returns: How many operations were acknowledged.
  /// - Throws: ``SimulatedModelError`` when a rule is broken, ``SimulationCaseError`` for a text of
  ///   another form.
  @discardableResult
  public static func check<Model: SimulatedModel>(
    _ model: Model, replaying text: String
  ) throws -> Int {
    let rules = ModelRules(model)
    let plan = try SimulationCase(text: text)
    let world = World(plan, app: rules.app)
    world.run()
    if let failure = world.failure { throw SimulatedModelError(of: plan, failure, rules) }
    return world.acknowledgedCount
  }
}

extension World {
  /// How many operations of the app became durable and are not lost.
  fileprivate var acknowledgedCount: Int {
    nodes[0].states.reduce(0) { $0 + acknowledged(in: $1).count }
  }
}

extension SimulationOptions {
  /// Worlds for models: small enough that many of them can be run in a test.
  fileprivate static func drawn(forModelFrom seed: UInt64) -> SimulationOptions {
    var options = SimulationOptions.drawn(from: seed)
    options.peers = min(options.peers, 5)
    options.operations = min(options.operations, 60)
    options.spaces = 1
    options.transactionActions = 2...3
    // What was written with a wrong clock may win over a later edit, whatever the model does.
    options.faults[.wrongClock] = .never
    return options
  }

  /// With what only the drawing of operations and faults depends on as it is by default: a case that
  /// has its lists is the same without.
  var withoutDrawing: SimulationOptions {
    let plain = SimulationOptions()
    var options = self
    options.operations = plain.operations
    options.anchors = plain.anchors
    options.operationGap = plain.operationGap
    options.transactions = plain.transactions
    options.transactionActions = plain.transactionActions
    options.faults = plain.faults
    return options
  }

  /// Without what has no meaning for a model. The number of an anchor is one of the numbers that
  /// operations are drawn from: the more there are, the more operations differ.
  fileprivate static func forModel(_ options: SimulationOptions) -> SimulationOptions {
    var options = options
    options.anchors = 65_536
    options.past = .never
    options.largeValues = .never
    return options
  }
}
