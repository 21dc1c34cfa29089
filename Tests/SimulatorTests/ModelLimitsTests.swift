import Testing

@testable import HyperbasisSimulator

/// Models that write more than can be saved are told so, however much it is.
@Suite struct ModelLimitsTests {
  private func error(_ model: some SimulatedModel) throws -> SimulatedModelError {
    try #require(throws: SimulatedModelError.self) { try Simulation.check(model, seeds: 1...1) }
  }

  @Test(arguments: [33, 50_000], [false, true])
  func `metadata that is nested too deep is the model's mistake`(
    levels: Int, isInDictionary: Bool
  ) throws {
    let error = try error(Nester(levels: levels, isInDictionary: isInDictionary))
    #expect(error.kind == .unsavable && error.operations.count == 1)
    #expect(error.text == "anchor \"a\": metadata \"k\" is nested deeper than 32 levels")
  }

  @Test func `metadata of as many levels as there may be is saved`() throws {
    #expect(try Simulation.check(Nester(levels: 32, isInDictionary: true), seeds: 1...1) > 0)
  }

  @Test func `an operation of more bytes than a change has is the model's mistake`() throws {
    let error = try error(Filler(keys: 5, bytes: 1_000_000))
    #expect(error.kind == .unsavable && error.operations.count == 1)
    #expect(
      error.text.hasPrefix("a change of 50") && error.text.hasSuffix("at most 4194304 are allowed"))
  }

  @Test func `an operation of more writes than a change has is the model's mistake`() throws {
    let error = try error(Filler(keys: 65_537, bytes: 0))
    #expect(error.kind == .unsavable && error.operations.count == 1)
    #expect(error.text == "65539 writes in one change; at most 65536 are allowed")
  }

  /// It is the world that puts several operations into one transaction.
  @Test func `operations that are too much only together are no mistake`() throws {
    let options = try SimulationOptions(
      text: "peers=2 operations=6 transactions=1/1 transactionActions=6...6 cut=0/1 crash=0/1")
    let model = Filler(keys: 3, bytes: 500_000)
    #expect(try Simulation.check(model, seeds: 1...1, options: options) > 0)
  }

  @Test func `a report that was not made as small as can be says so`() {
    let rules = ModelRules(Filler(keys: 1, bytes: 1, isRight: false))
    let plan = SimulationCase(seed: 1)
    let world = World(plan, app: rules.app)
    world.run()
    let line = "\nIt was made smaller for 1000 events only; fewer operations may be enough.\n"
    let short = SimulatedModelError(smallestOf: plan, world.failure!, rules, nil, events: 1_000)
    #expect(short.kind == .atEnd && short.description.contains(line), "\(short)")
    let long = SimulatedModelError(smallestOf: plan, world.failure!, rules, nil)
    #expect(!long.description.contains("It was made smaller"))
    #expect(long.operations.count <= short.operations.count)
  }

  @Test func `values are equal when all their parts are, at any depth`() {
    let values: [SimulatedValue] = [
      .null, true, 3, 3.0, "caf\u{E9}", "cafe\u{301}", [], [1, 2], [1, [2]], ["a": 1], ["a": [1]],
      ["b": 1], ["a": 1, "b": 2], .double(0.0), .double(-0.0), .double(.nan),
    ]
    for (left, one) in values.enumerated() {
      for (right, other) in values.enumerated() { #expect((one == other) == (left == right)) }
    }
  }
}

/// Writes a value that is so many levels deep.
private struct Nester: SimulatedModel {
  let levels: Int
  let isInDictionary: Bool

  func draw(from random: inout RandomSource) -> Int { 0 }
  func perform(_ operation: Int, on space: inout SimulatedSpace) {
    var value: SimulatedValue = 1
    for _ in 0..<levels { value = isInDictionary ? ["x": value] : [value] }
    space["a"] = SimulatedAnchor(metadata: ["k": value])
  }
  func fault(in space: SimulatedSpace) -> String? { nil }
  func faultAtEnd(in space: SimulatedSpace, after performed: [Int]) -> String? { nil }
}

/// Each operation makes an anchor with so many keys, and texts of so many bytes.
private struct Filler: SimulatedModel {
  let keys: Int
  let bytes: Int
  var isRight = true

  func draw(from random: inout RandomSource) -> UInt64 { random.next() }
  func perform(_ operation: UInt64, on space: inout SimulatedSpace) {
    let text = SimulatedValue.string(String(repeating: "x", count: bytes))
    space["anchor \(operation)"] = SimulatedAnchor(
      metadata: SimulatedMetadata((0..<keys).map { (String($0 + 1_000_000), text) }))
  }
  func fault(in space: SimulatedSpace) -> String? { nil }
  func faultAtEnd(in space: SimulatedSpace, after performed: [UInt64]) -> String? {
    isRight ? nil : "it is never right"
  }
}
