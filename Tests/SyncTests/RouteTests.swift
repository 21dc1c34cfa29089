import HyperbasisCore
import HyperbasisSync
import Testing

/// Where all are linked to all, an edit goes to each from its author alone.
@Suite struct RouteTests {
  /// All linked to all, in step, and each knows of the others' links.
  private func mesh(_ count: Int) -> Lab {
    let lab = Lab(count)
    for first in 0..<count {
      for second in first + 1..<count { lab.connect(first, second) }
    }
    lab.create(0, anchors: 1...1)
    lab.pass(3_000)
    return lab
  }

  private func changes(_ lab: Lab) -> Int {
    lab.pipes.indices.reduce(0) { sum, pipe in
      sum + (0...1).reduce(0) { $0 + lab.count(pipe, from: $1, isChange) }
    }
  }

  private func pipe(_ lab: Lab, _ first: Int, _ second: Int) -> Int {
    lab.pipes.firstIndex { $0.ends == [first, second] }!
  }

  @Test(arguments: [2, 3, 5, 9])
  func `an edit is sent once to each peer`(count: Int) {
    let lab = mesh(count)
    let before = changes(lab)
    for number in 0..<count { lab.set(number, Key("k\(number)"), number) }
    lab.pump()
    #expect(lab.isConverged)
    lab.pass(3_000)
    #expect(changes(lab) - before == count * (count - 1))
  }

  @Test func `what an author does not bring in time is asked of another`() {
    let lab = mesh(3)
    let pipe = pipe(lab, 0, 1)
    lab.pipes[pipe].isFrozen[0] = true
    lab.set(0, "k", 1)
    lab.pass(1_000)
    #expect(lab.state(1).vector != lab.state(0).vector, "the author is awaited")
    lab.pass(1_000)
    #expect(lab.state(1).vector == lab.state(0).vector)
    // Once it goes on, nobody asks any more.
    lab.pipes[pipe].isFrozen[0] = false
    lab.pass(3_000)
    let before = changes(lab)
    lab.set(0, "k", 2)
    lab.pump()
    #expect(lab.isConverged)
    #expect(changes(lab) - before == 2)
  }

  @Test func `an author that brings nothing is not awaited anew with each edit`() {
    let lab = mesh(3)
    lab.pipes[pipe(lab, 0, 1)].isFrozen[0] = true
    for value in 1...40 {
      lab.set(0, "k", value)
      lab.pass(100)
    }
    let known = lab.state(1).cell(.metadata(anchor(1), "k"))?.operation
    guard case .metadata(_, _, .int(let value)) = known else {
      Issue.record("it knows nothing of it")
      return
    }
    #expect(value >= 20, "two seconds at most")
  }

  @Test func `an edit goes around a link that ended`() {
    let lab = mesh(3)
    lab.cut(pipe(lab, 0, 1))
    lab.pump()
    lab.set(0, "k", 1)
    lab.pump()
    #expect(lab.isConverged)
    // What did not arrive on the link that ended comes once another peer tells of it.
    lab.connect(0, 1)
    lab.pass(3_000)
    let pipe = lab.pipes.indices.last { lab.pipes[$0].ends == [0, 1] }!
    lab.pipes[pipe].isFrozen[0] = true
    lab.set(0, "k", 2)
    lab.pump()
    #expect(!lab.isConverged)
    lab.cut(pipe)
    lab.pass(300)
    #expect(lab.isConverged)
  }

  @Test func `what is said of links is read as it was written, and in order`() throws {
    let frame = Frame.direct(space, [replica(1), replica(4)])
    var bytes = frame.encoded()
    #expect(try Frame(payload: Array(bytes.dropFirst(4))) == frame)
    let wrong = Frame.direct(space, [replica(4), replica(1)]).encoded()
    #expect(throws: CodecError.self) { try Frame(payload: Array(wrong.dropFirst(4))) }
    let twice = Frame.direct(space, [replica(1), replica(1)]).encoded()
    #expect(throws: CodecError.self) { try Frame(payload: Array(twice.dropFirst(4))) }
    bytes.removeLast()
    #expect(throws: CodecError.self) { try Frame(payload: Array(bytes.dropFirst(4))) }
  }
}
