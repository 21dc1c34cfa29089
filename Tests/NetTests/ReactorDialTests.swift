import Testing

@testable import HyperbasisNet

extension NetTests {
  @Suite struct ReactorDialTests {
    @Test func refusedDialNamesTheAddress() throws {
      let client = try Host()
      let free = try SilentListener().port  // closed at once
      for address in [SocketAddress.loopback4(port: free), .loopback6(port: free)] {
        let dial = try client.onReactor { $0.dial(address, timeoutMilliseconds: 5_000) }
        let error = try wait("failure") { client.recorder.failure(dial) }
        #expect(error == .refused(address))
        #expect("\(error)".contains("\(address)"))
      }
    }

    @Test func dialTimesOutByItself() throws {
      // A full queue of callers leaves the next connection without an answer.
      let silent = try SilentListener(backlog: 0)
      let client = try Host()
      let began = MonotonicClock.now
      let dials = try (0..<4).map { _ in
        try client.onReactor {
          $0.dial(.loopback4(port: silent.port), timeoutMilliseconds: 300)
        }
      }
      let last = try #require(dials.last)
      let error = try wait("timeout") { client.recorder.failure(last) }
      #expect(error == .timedOut(.loopback4(port: silent.port), milliseconds: 300))
      #expect(MonotonicClock.now - began < 5_000)
      #expect(try client.onReactor { $0.dials.count } == 0)
    }

    @Test func cancelledDialIsSilent() throws {
      let silent = try SilentListener(backlog: 0)
      let client = try Host()
      let port = silent.port
      let dials = try client.onReactor { reactor in
        (0..<6).map { _ in
          let dial = reactor.dial(.loopback4(port: port), timeoutMilliseconds: 50)
          reactor.cancel(dial)
          return dial
        }
      }
      let marker = try client.onReactor {
        $0.dial(.loopback4(port: port), timeoutMilliseconds: 250)
      }
      try wait("marker") { client.recorder.failure(marker) }
      #expect(dials.allSatisfy { client.recorder.failure($0) == nil })
    }

    @Test func portInUseIsNamed() throws {
      let first = try Host()
      let second = try Reactor()
      #expect(throws: ListenError.portInUse(first.port)) { try second.listen(port: first.port) }
      #expect("\(ListenError.portInUse(first.port))".contains("\(first.port)"))
      // IPv4 alone is enough to be in use.
      let silent = try SilentListener()
      #expect(throws: ListenError.portInUse(silent.port)) { try second.listen(port: silent.port) }
    }

    @Test func portIsFreeAgainAfterStop() throws {
      let first = try Host(echoes: true)
      let client = try Host()
      let link = try client.connect(.loopback4(port: first.port))
      first.reactor.stop()
      try wait("end") { client.recorder.closeReason(link) != nil }
      let second = try Reactor()
      #expect(try second.listen(port: first.port) == first.port)
    }

    @Test func postsFromManyThreadsAllRunInOrder() throws {
      let host = try Host()
      let seen = Locked<[Int: [Int]]>([:])
      let threads = try (0..<8).map { thread in
        try WorkerThread.start { [reactor = host.reactor] in
          for number in 0..<1_000 {
            reactor.post { seen.withLock { $0[thread, default: []].append(number) } }
          }
        }
      }
      for thread in threads { thread.join() }
      try wait("all posts") { seen.withLock { $0.values.map(\.count).reduce(0, +) } == 8_000 }
      #expect(seen.withLock { $0.values.allSatisfy { $0 == Array(0..<1_000) } })
    }

    @Test func workPostedBeforeStopRuns() throws {
      for _ in 0..<50 {
        let host = try Host()
        let count = Locked(0)
        for _ in 0..<10 { host.reactor.post { count.withLock { $0 += 1 } } }
        host.reactor.stop()
        #expect(count.withLock { $0 } == 10)
      }
    }

    @Test func workPostedWhileStoppingRuns() throws {
      for _ in 0..<50 {
        let host = try Host()
        let count = Locked(0)
        let reactor = host.reactor
        let poster = try WorkerThread.start {
          // Each accepted post runs, up to the first refusal.
          while reactor.post({ count.withLock { $0 -= 1 } }) { count.withLock { $0 += 1 } }
        }
        reactor.stop()
        poster.join()
        #expect(count.withLock { $0 } == 0)
      }
    }

    @Test func postedWorkEndsItsTurnAtOnce() throws {
      let host = try Host()
      let box = host.recorder.box
      let turnOfWork = try host.onReactor { _ in box.withLock { $0.turns } }
      // No deadline and no descriptor would bring another turn.
      try wait("the turn of the work") { box.withLock { $0.turns } > turnOfWork }
    }

    @Test func workPostedWhileStoppingEndsATurn() throws {
      for _ in 0..<50 {
        let host = try Host()
        let box = host.recorder.box
        let reactor = host.reactor
        let lastWork = Locked(-1)
        let poster = try WorkerThread.start {
          while reactor.post({ lastWork.withLock { $0 = box.withLock { $0.turns } } }) {}
        }
        reactor.stop()
        poster.join()
        #expect(box.withLock { $0.turns } > lastWork.withLock { $0 })
      }
    }

    @Test func deadlineBringsATurn() throws {
      let host = try Host()
      try wait("quiet") { try? host.onReactor { _ in () } }
      let began = MonotonicClock.now
      host.recorder.box.withLock { $0.deadline = began + 150 }
      _ = try host.onReactor { _ in () }  // one turn, in which the deadline is asked for
      try wait("deadline") { host.recorder.box.withLock { $0.deadline } == nil }
      #expect(MonotonicClock.now - began >= 150)
      #expect(MonotonicClock.now - began < 5_000)
      // Waiting does not spin.
      #expect(host.recorder.box.withLock { $0.turns } < 20)
    }

    /// In a process of its own: the limit would starve the tests that run beside this one.
    @Test func outOfDescriptorsPausesAccepting() async {
      await #expect(processExitsWith: .success) {
        let server = try Host()
        let client = try Host()
        _ = try client.connect(.loopback4(port: server.port))
        let turns = try DescriptorFamine.run {
          let dial = try client.onReactor {
            $0.dial(.loopback4(port: server.port), timeoutMilliseconds: 1_000)
          }
          let before = server.recorder.box.withLock { $0.turns }
          _ = try? wait("failure", seconds: 1) { client.recorder.failure(dial) }
          return server.recorder.box.withLock { $0.turns } - before
        }
        #expect(turns < 50)
        _ = try client.connect(.loopback4(port: server.port))
      }
    }
  }
}

extension NetTests {
  @Suite struct LinkSeamTests {
    @Test func aTransformingLinkOpensLateAndChangesBytesBothWays() throws {
      let server = try Host(echoes: true, makeLink: { _ in MaskingLink() })
      let client = try Host(makeLink: { _ in MaskingLink() })
      let link = try client.connect(.loopback4(port: server.port))
      client.reactor.post { [reactor = client.reactor] in
        reactor.send(pattern(300_000), on: link)
      }
      try wait("echo") { client.recorder.received(link).count >= 300_000 }
      expectBytes(client.recorder.received(link), pattern(300_000))
      client.reactor.post { [reactor = client.reactor] in reactor.close(link, afterFlush: true) }
      let accepted = try #require(server.recorder.opened.first)
      #expect(try wait("end") { server.recorder.closeReason(accepted) } == .endedByPeer)
    }

    @Test func aPlainPeerIsRefusedBeforeTheLinkOpens() throws {
      let server = try Host(makeLink: { _ in MaskingLink() })
      let client = try Host()
      let link = try client.connect(.loopback4(port: server.port))
      client.reactor.post { [reactor = client.reactor] in reactor.send([1, 2, 3], on: link) }
      let told = try wait("refusal") { server.recorder.told.first }
      #expect(told == .acceptFailed(.refused(LinkFailure("no greeting"))))
      #expect(server.recorder.opened.isEmpty)
    }

    @Test func aDialledLinkThatNeverOpensFailsItsDial() throws {
      let silent = try SilentListener()
      let client = try Host(makeLink: { _ in MaskingLink() })
      let dial = try client.onReactor {
        $0.dial(.loopback4(port: silent.port), timeoutMilliseconds: 300)
      }
      let error = try wait("failure") { client.recorder.failure(dial) }
      #expect(error == .timedOut(.loopback4(port: silent.port), milliseconds: 300))
      #expect(client.recorder.opened.isEmpty)
    }

    @Test func aTruncatedEndIsNotAnEnd() throws {
      let server = try Host(makeLink: { _ in MaskingLink() })
      let client = try Host(makeLink: { _ in MaskingLink() })
      _ = try client.connect(.loopback4(port: server.port))
      let accepted = try wait("accepted link") { server.recorder.opened.first }
      client.reactor.stop()
      let reason = try wait("end") { server.recorder.closeReason(accepted) }
      #expect(reason == .refused(LinkFailure("cut off")))
    }
  }
}

/// A stand-in for TLS: a greeting, masked bytes, a farewell.
private final class MaskingLink: Link {
  private static let greeting: UInt8 = 0x16
  private static let farewell: UInt8 = 0x15
  private var isGreeted = false
  private var isEnded = false

  func begin(_ flow: inout LinkFlow) {
    flow.wire.append([Self.greeting])
  }

  func receive(_ bytes: RawSpan, _ flow: inout LinkFlow) throws(LinkFailure) {
    var rest = bytes.withUnsafeBytes { Array($0) }
    if !isGreeted {
      guard rest.first == Self.greeting else { throw LinkFailure("no greeting") }
      isGreeted = true
      flow.isOpen = true
      rest.removeFirst()
    }
    // Each byte of the user is two on the wire, so that a farewell can be told apart.
    for byte in rest {
      if half == nil, byte == Self.farewell {
        isEnded = true
        continue
      }
      if half == nil {
        half = byte
        continue
      }
      half = nil
      flow.received.append(byte ^ 0x5A)
    }
  }

  private var half: UInt8?

  func send(_ bytes: [UInt8], _ flow: inout LinkFlow) {
    flow.wire.append(bytes.flatMap { [0x17, $0 ^ 0x5A] })
  }

  func finish(_ flow: inout LinkFlow) {
    flow.wire.append([Self.farewell])
  }

  func end() throws(LinkFailure) {
    guard isEnded else { throw LinkFailure("cut off") }
  }
}
