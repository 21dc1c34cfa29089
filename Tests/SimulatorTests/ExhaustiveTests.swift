import HyperbasisSimulator
import Testing

/// All small worlds of a size that a debug build can visit; `SimulatorRun exhaustive` has more.
@Suite struct ExhaustiveTests {
  /// The numbers are those of `Docs/TESTING.md`: fewer would mean that something is left out.
  @Test(arguments: [(1, 9, 9, 18), (2, 108, 189, 5_832), (3, 1_242, 2_754, 4_651_344)])
  func `every merge of a few edits`(
    changes: Int, states: Int, steps: Int, executions: Int
  ) {
    var world = MergeWorld()
    world.explore(changes: changes)
    #expect(world.failure == nil)
    #expect(world.counts.states == states && world.counts.steps == steps)
    #expect(world.counts.executions == UInt128(executions))
  }

  @Test func `every merge of changes under times of the past`() {
    var world = MergeWorld()
    world.explore(recorded: 3)
    #expect(world.failure == nil)
    #expect(world.counts.stampOrders == 130)
  }

  @Test func `every delta of two edits`() {
    var world = MergeWorld()
    world.explore(deltas: 2)
    #expect(world.failure == nil)
    #expect(world.counts.deltas == 2_349)
  }

  /// An exploration that cannot fail proves nothing; what it names is as small as can be.
  @Test(arguments: MergeFault.allCases)
  func `a fault in the merge is found`(fault: MergeFault) {
    var world = MergeWorld(fault: fault)
    world.explore(changes: 1)
    #expect(world.failure == nil, "one change is merged with nothing")
    world.explore(changes: 2)
    #expect(world.failure?.contains("a replica comes to know") == true)
  }

  /// Here the exploration found that an edit between one's own first `have` and the peer's was not
  /// told as news: the peer had its last writes, and never its place in the history.
  @Test func `every course of two engines with one edit`() {
    var size = SmallWorldSize()
    size.edits = 1
    let world = EngineWorld.explore(size)
    #expect(world.failure == nil)
    #expect(world.states == 834 && world.executions == 197_844)
  }

  @Test func `every course of two engines with one crash, or one refused commit`() {
    var size = SmallWorldSize()
    size.edits = 0
    size.crashes = 1
    #expect(EngineWorld.explore(size).failure == nil)
    size.mixesTurns = false
    size.crashes = 0
    size.refusals = 1
    #expect(EngineWorld.explore(size).failure == nil)
  }

  @Test func `disks that forget are found`() {
    var size = SmallWorldSize()
    size.disksForget = true
    let failure = EngineWorld.explore(size).failure
    #expect(failure == "A edits the existence\nA stores\nA: it covers A:1, durable there is 0")
  }
}
