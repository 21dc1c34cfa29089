import HyperbasisCore
import HyperbasisSync
import Testing

/// Whole changes reach every peer, each once, behind all else.
@Suite struct HistoryTests {
  private static var small: Tuning {
    var tuning = Tuning()
    tuning.batchBytes = 1
    return tuning
  }

  /// Peer 0 with `count` changes, most of them superseded.
  private func lab(_ peers: Int, changes count: Int, tuning: Tuning = small) -> Lab {
    let lab = Lab(peers, tuning: tuning)
    for value in 0..<count { lab.set(0, "k", value, anchor: value % 2) }
    return lab
  }

  private func parts(_ lab: Lab, _ pipe: Int, from side: Int) -> [HistoryPart] {
    lab.pipes[pipe].sent[side].compactMap { if case .history(let part) = $0 { part } else { nil } }
  }

  private func changes(_ lab: Lab, _ pipe: Int, from side: Int) -> [Change] {
    parts(lab, pipe, from: side).flatMap(\.changes)
  }

  @Test(arguments: [1, 200, 65_536])
  func `a late joiner gets the state at once, then every change`(bytes: Int) {
    var tuning = Tuning()
    tuning.batchBytes = bytes
    let lab = lab(2, changes: 30, tuning: tuning)
    let pipe = lab.connect(0, 1)
    lab.pump()
    #expect(lab.isConverged && lab.hasWholeHistories)
    #expect(lab.logs[1] == lab.logs[0] && lab.logs[1].count == 30)
    let sent = lab.pipes[pipe].sent[0]
    #expect(sent.lastIndex(where: isBatch)! < sent.firstIndex(where: isHistory)!)
    let parts = parts(lab, pipe, from: 0)
    #expect(parts.last!.isLast && parts.dropLast().allSatisfy { !$0.isLast })
    #expect(bytes == 1 ? parts.count == 30 : parts.count < 30)
    #expect(lab.count(pipe, from: 1, isHistoryRequest) == 1)
  }

  @Test func `it comes before the bytes of maps`() {
    var tuning = Lab.toyTuning
    tuning.batchBytes = 1
    let lab = lab(2, changes: 30, tuning: tuning)
    let map = ToyMap(64 * 30)
    lab.setMap(0, map)
    let pipe = lab.connect(0, 1)
    lab.pump()
    #expect(lab.hasWholeHistories && lab.has(map, 1))
    let sent = lab.pipes[pipe].sent[0]
    let (first, last) = (sent.firstIndex(where: isHistory)!, sent.lastIndex(where: isHistory)!)
    #expect(last - first == 30 && sent[first...last].allSatisfy(isHistory))
    #expect(lab.blobs(pipe, from: 0).count == 31)
  }

  /// An exhaustive small world found it: the edit came after our first word on the space had gone out and
  /// before the peer's came in, and the peer was never told how far the history reaches.
  @Test func `an edit while the first words cross is told as well`() {
    let lab = Lab(2)
    let pipe = lab.connect(0, 1)
    lab.move(pipe, from: 1, most: 1)
    var early: [UInt8] = []
    while let frame = lab.nextFrame(0, on: lab.pipes[pipe].link) { early += frame }
    lab.set(0, "k", 1)
    lab.engines[1].receive(early, on: lab.pipes[pipe].link, at: lab.now)
    lab.settle(1)
    lab.pump()
    lab.elapsed += Limits.haveDelayMilliseconds
    lab.pump()
    #expect(lab.isConverged && lab.hasWholeHistories)
  }

  @Test func `converged peers say nothing of it`() {
    let lab = lab(3, changes: 10)
    for (first, second) in [(0, 1), (1, 2), (2, 0)] { lab.connect(first, second) }
    lab.pass(3_000)
    #expect(lab.hasWholeHistories)
    let before = lab.pipes.map { $0.sent.map(\.count) }
    lab.pass(20_000)
    for (pipe, counts) in zip(lab.pipes, before) {
      for side in 0...1 {
        #expect(pipe.sent[side].dropFirst(counts[side]).allSatisfy { $0 == .ping })
      }
    }
  }

  @Test func `live edits extend it and are not asked for`() {
    let lab = lab(3, changes: 5)
    let pipes = [lab.connect(0, 1), lab.connect(1, 2)]
    lab.pass(3_000)
    let requests = pipes.map { lab.count($0, from: 1, isHistoryRequest) }
    for value in 0..<20 {
      lab.set(value % 3, "live", value)
      lab.pump()
      #expect(lab.hasWholeHistories)
    }
    lab.pass(3_000)
    #expect(pipes.map { lab.count($0, from: 1, isHistoryRequest) } == requests)
    #expect(lab.logs[2].count == 25)
  }

  @Test(arguments: 0...30)
  func `edits while it comes in`(start: Int) {
    let lab = lab(2, changes: 30)
    let pipe = lab.connect(0, 1)
    for value in 0..<60 {
      lab.move(pipe, from: 1, most: 2)
      lab.move(pipe, from: 0, most: 1)
      if value >= start { lab.set(value % 2, "live", value, anchor: 3) }
    }
    lab.pump()
    lab.pass(1_000)
    #expect(lab.isConverged && lab.hasWholeHistories)
    #expect(lab.logs[1].count == 30 + 60 - start)
    // What came live is not sent again, but for what was under way.
    #expect(changes(lab, pipe, from: 0).count <= 30 + 60 - start)
    #expect(lab.farewells(0).isEmpty && lab.farewells(1).isEmpty)
  }

  @Test func `a chain passes it on`() {
    let lab = lab(4, changes: 12)
    for number in 0..<3 { lab.connect(number, number + 1) }
    lab.pass(5_000)
    #expect(lab.isConverged && lab.hasWholeHistories)
    #expect((0..<3).allSatisfy { changes(lab, $0, from: 0).count == 12 })
    #expect((0..<3).allSatisfy { changes(lab, $0, from: 1).isEmpty })
  }

  // MARK: Links that break

  /// Two peers, of which the second has the state of the first and has just asked for its history.
  private func asking(changes count: Int) -> (lab: Lab, pipe: Int) {
    let lab = lab(2, changes: count)
    let pipe = lab.connect(0, 1)
    while lab.count(pipe, from: 1, isHistoryRequest) == 0 {
      lab.move(pipe, from: 1, most: 1)
      if lab.count(pipe, from: 0, isBatch) < 2 { lab.move(pipe, from: 0, most: 1) }
    }
    return (lab, pipe)
  }

  private func stream(_ lab: Lab, _ pipe: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while let frame = lab.nextFrame(0, on: lab.pipes[pipe].link) { bytes += frame }
    return bytes
  }

  @Test func `cut at any byte it is continued where it was`() {
    let (first, pipe) = asking(changes: 4)
    let length = stream(first, pipe).count
    #expect(length > 200)
    for cut in 0...length {
      let (lab, pipe) = asking(changes: 4)
      let bytes = Array(stream(lab, pipe).prefix(cut))
      lab.engines[1].receive(bytes, on: lab.pipes[pipe].link, at: lab.now)
      lab.settle(1)
      let known = lab.logs[1].count
      lab.cut(pipe)
      let next = lab.connect(0, 1)
      lab.pump()
      #expect(lab.hasWholeHistories)
      #expect(changes(lab, next, from: 0).count == 4 - known)
    }
  }

  @Test func `one of two suppliers is asked, and the other continues when it leaves`() {
    for cut in [0, 1, 5, 19] {
      let lab = lab(3, changes: 20)
      lab.connect(0, 1)
      lab.pump()
      let pipes = [lab.connect(0, 2), lab.connect(1, 2)]
      // The state first.
      for pipe in pipes { lab.move(pipe, from: 0, most: 2) }
      while lab.state(2).vector != lab.state(0).vector {
        for pipe in pipes { lab.move(pipe, from: 1) }
        lab.move(pipes[0], from: 0, most: 1)
      }
      while changes(lab, pipes[0], from: 0).count < cut {
        lab.move(pipes[0], from: 1)
        lab.move(pipes[0], from: 0, most: 1)
      }
      #expect(changes(lab, pipes[1], from: 0).isEmpty)
      lab.cut(pipes[0])
      lab.pump()
      #expect(lab.hasWholeHistories)
      #expect(changes(lab, pipes[1], from: 0).count == 20 - cut)
    }
  }

  @Test func `another is asked when one stalls, and both answers fit`() {
    let lab = lab(3, changes: 20)
    lab.connect(0, 1)
    lab.pump()
    let slow = lab.connect(0, 2)
    while changes(lab, slow, from: 0).count < 5 {
      lab.move(slow, from: 1)
      lab.move(slow, from: 0, most: 1)
    }
    lab.pipes[slow].isFrozen[0] = true
    let other = lab.connect(1, 2)
    lab.pass(Limits.catchUpStallMilliseconds + 500)
    #expect(lab.hasWholeHistories)
    #expect(changes(lab, other, from: 0).count == 15)
    lab.pipes[slow].isFrozen[0] = false
    lab.pass(1_000)
    #expect(changes(lab, slow, from: 0).count == 20)
    lab.set(1, "k", 1)
    lab.pass(1_000)
    #expect(lab.hasWholeHistories && lab.farewells(2).isEmpty)
  }

  // MARK: Disks that fail

  @Test func `a supplier that cannot read tries again`() {
    let lab = lab(2, changes: 5)
    lab.failsReads = [0]
    let pipe = lab.connect(0, 1)
    lab.pass(Limits.historyRetryMilliseconds - 1_000)
    #expect(lab.isConverged && lab.logs[1].isEmpty)
    lab.failsReads = []
    lab.pass(2_000)
    #expect(lab.hasWholeHistories && lab.count(pipe, from: 1, isHistoryRequest) == 1)
  }

  @Test func `a failed commit forgets what it took, and asks again`() {
    let (lab, pipe) = asking(changes: 5)
    lab.failsCommits = [1]
    lab.move(pipe, from: 0)
    #expect(lab.history(1) == VersionVector() && lab.logs[1].isEmpty)
    #expect(lab.farewells(1).map(\.reason) == [.storage])
    lab.failsCommits = []
    lab.connect(0, 1)
    lab.pump()
    #expect(lab.hasWholeHistories)
  }

  @Test func `nothing is read while writes wait, and a read that is late is dropped`() {
    let (lab, pipe) = asking(changes: 2)
    let link = lab.pipes[pipe].link
    #expect(lab.engines[0].edit(space, [.name("n")], at: lab.now) != nil)
    #expect(!lab.engines[0].wantsHistoryRead(for: link, at: lab.now))
    #expect(lab.engines[0].nextHistoryRead(for: link, at: lab.now) == nil)
    lab.settle(0)
    let read = lab.engines[0].nextHistoryRead(for: link, at: lab.now)!
    #expect(read.upTo == lab.state(0).vector && read.after == VersionVector())
    #expect(lab.engines[0].nextHistoryRead(for: link, at: lab.now) == nil)
    lab.cut(pipe)
    lab.engines[0].supply(lab.logs[0], for: read, on: link)
    #expect(lab.engines[0].nextFrame(for: link, at: lab.now) == nil)
  }
}
