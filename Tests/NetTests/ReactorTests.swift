import Testing

@testable import HyperbasisNet

/// Both families of loopback.
private let loopbacks: [@Sendable (UInt16) -> SocketAddress] = [
  { .loopback4(port: $0) }, { .loopback6(port: $0) },
]

extension NetTests {
  @Suite struct ReactorTests {
    @Test(arguments: [0, 1]) func megabytesComeBackUnchanged(family: Int) throws {
      let server = try Host(echoes: true)
      let client = try Host()
      let link = try client.connect(loopbacks[family](server.port))
      let bytes = pattern(8_000_000)
      client.reactor.post { [reactor = client.reactor] in
        for start in stride(from: 0, to: bytes.count, by: 100_000) {
          reactor.send(Array(bytes[start..<start + 100_000]), on: link)
        }
      }
      try wait("echo") { client.recorder.received(link).count >= bytes.count }
      expectBytes(client.recorder.received(link), bytes)
      #expect(try client.onReactor { $0.unsentBytes(link) } == 0)
    }

    @Test func acceptedLinkKnowsWhoCalls() throws {
      let server = try Host()
      let client = try Host()
      let roles = Locked<[LinkRole]>([])
      let watching = try Host(makeLink: { role in
        roles.withLock { $0.append(role) }
        return PlainLink()
      })
      _ = try client.connect(.loopback4(port: watching.port))
      _ = try server.connect(.loopback6(port: watching.port))
      try wait("roles") { roles.withLock { $0.count } == 2 }
      let remotes = roles.withLock { $0 }
      #expect(remotes.allSatisfy { $0.dial == nil && $0.remote.isLoopback })
      // Which comes in first is the system's choice.
      #expect(Set(remotes.map(\.remote.isIPv6)) == [false, true])
    }

    @Test func manyLinksKeepTheirBytesApart() throws {
      let server = try Host(echoes: true)
      let client = try Host()
      let links = try (0..<100).map { number in
        try client.connect(loopbacks[number % 2](server.port))
      }
      for link in links {
        client.reactor.post { [reactor = client.reactor] in
          reactor.send(pattern(20_000, seed: link.number), on: link)
        }
      }
      for link in links {
        try wait("echo on \(link)") { client.recorder.received(link).count >= 20_000 }
        expectBytes(client.recorder.received(link), pattern(20_000, seed: link.number))
      }
    }

    @Test func closeAfterFlushDeliversEverything() throws {
      let server = try Host()
      let client = try Host()
      let link = try client.connect(.loopback4(port: server.port))
      let accepted = try wait("accepted link") { server.recorder.opened.first }
      // The other side's unread bytes must not destroy what is on its way.
      server.reactor.post { [reactor = server.reactor] in
        reactor.send(pattern(3_000_000, seed: 9), on: accepted)
      }
      client.reactor.post { [reactor = client.reactor] in
        reactor.send(pattern(5_000_000), on: link)
        reactor.close(link, afterFlush: true)
        reactor.send([1, 2, 3], on: link)
      }
      let reason = try wait("end at the other side") { server.recorder.closeReason(accepted) }
      #expect(reason == .endedByPeer)
      expectBytes(server.recorder.received(accepted), pattern(5_000_000))
      let here = try wait("end here") { client.recorder.closeReason(link) }
      #expect(here == .closedHere(flushed: true))
    }

    @Test func closeAtOnceDropsUnsentBytes() throws {
      let (server, client) = (try Host(), try Host())
      let link = try client.connect(.loopback4(port: server.port))
      let accepted = try wait("accepted link") { server.recorder.opened.first }
      client.reactor.post { [reactor = client.reactor] in
        reactor.send(pattern(30_000_000), on: link)
        reactor.close(link, afterFlush: false)
      }
      let reason = try wait("end here") { client.recorder.closeReason(link) }
      #expect(reason == .closedHere(flushed: false))
      try wait("end at the other side") { server.recorder.closeReason(accepted) != nil }
      #expect(server.recorder.received(accepted).count < 30_000_000)
    }

    @Test func flushIsBoundedInTime() throws {
      let silent = try SilentListener()
      let client = try Host()
      let link = try client.connect(.loopback4(port: silent.port))
      let began = MonotonicClock.now
      client.reactor.post { [reactor = client.reactor] in
        reactor.send(pattern(30_000_000), on: link)
        reactor.close(link, afterFlush: true)
      }
      let reason = try wait("end here") { client.recorder.closeReason(link) }
      #expect(reason == .closedHere(flushed: false))
      #expect(MonotonicClock.now - began >= NetLimits.flushMilliseconds - 100)
      #expect(MonotonicClock.now - began < NetLimits.flushMilliseconds + 5_000)
    }

    @Test func slowReaderShowsUnsentBytesAndDrains() throws {
      let silent = try SilentListener()
      let client = try Host()
      let link = try client.connect(.loopback4(port: silent.port))
      let unsent = try client.onReactor { reactor in
        reactor.send(pattern(30_000_000), on: link)
        return reactor.unsentBytes(link)
      }
      #expect(unsent >= 10_000_000)
      #expect(!client.recorder.told.contains(.drained(link)))
      let connection = try silent.accept()
      expectBytes(connection.readAll(30_000_000), pattern(30_000_000))
      try wait("drained") { client.recorder.told.contains(.drained(link)) }
      #expect(client.recorder.told.filter { $0 == .drained(link) }.count == 1)
      #expect(try client.onReactor { $0.unsentBytes(link) } < NetLimits.lowWaterBytes)
    }

    @Test func brokenConnectionDeliversFirstThenTells() throws {
      let silent = try SilentListener()
      let client = try Host()
      let link = try client.connect(.loopback4(port: silent.port))
      let connection = try silent.accept()
      connection.write(pattern(500_000))
      connection.reset()
      let reason = try wait("end") { client.recorder.closeReason(link) }
      guard case .broken(let error) = reason else {
        Issue.record("\(reason)")
        return
      }
      #expect("\(error)".contains("errno"))
      // Writing to what is gone is harmless, and nothing is told twice.
      client.reactor.post { [reactor = client.reactor] in reactor.send([1], on: link) }
      try wait("a later turn") { try? client.onReactor { _ in () } }
      #expect(client.recorder.told.filter { $0 == .closed(link, reason) }.count == 1)
    }

    @Test func endRightBehindFullReadsLosesNothing() throws {
      let silent = try SilentListener()
      let client = try Host()
      let link = try client.connect(.loopback4(port: silent.port))
      let connection = try silent.accept()
      let bytes = pattern(2 * NetLimits.readChunkBytes)
      // The reactor sleeps until all of it is there, so that the end follows a full read.
      let isReady = Locked(false)
      client.reactor.post { while !isReady.withLock({ $0 }) { restAMillisecond() } }
      connection.write(bytes)
      connection.close()
      isReady.withLock { $0 = true }
      let reason = try wait("end") { client.recorder.closeReason(link) }
      #expect(reason == .endedByPeer)
      expectBytes(client.recorder.received(link), bytes)
    }

    @Test func writingToAClosedPeerBreaksTheLinkOnly() throws {
      let silent = try SilentListener()
      let client = try Host()
      let link = try client.connect(.loopback4(port: silent.port))
      let connection = try silent.accept()
      connection.write(pattern(100_000))
      try wait("bytes") { client.recorder.received(link).count == 100_000 }
      connection.close()
      // The first send draws a reset, the next ones would raise SIGPIPE.
      client.reactor.post { [reactor = client.reactor] in
        for _ in 0..<50 { reactor.send(pattern(10_000), on: link) }
      }
      try wait("end") { client.recorder.closeReason(link) != nil }
      expectBytes(client.recorder.received(link), pattern(100_000))
    }

    /// In a process of its own, as the next one: tests beside it open descriptors too.
    @Test func stopClosesEverything() async {
      await #expect(processExitsWith: .success) {
        // What the runtime opens once for itself is open after the first host.
        try Host().reactor.stop()
        let before = openDescriptors()
        for _ in 0..<5 {
          let server = try Host(echoes: true)
          let client = try Host()
          let link = try client.connect(.loopback4(port: server.port))
          let dial = try client.onReactor { reactor in
            reactor.dial(unroutable, timeoutMilliseconds: 60_000)
          }
          client.reactor.stop()
          #expect(client.recorder.closeReason(link) == .stopped)
          #expect(client.recorder.failure(dial) != nil)
          #expect(!client.reactor.post {})
          client.reactor.stop()
          server.reactor.stop()
        }
        // One a round would be a leak; one in all is the runtime's own.
        #expect(openDescriptors() - before < 5)
      }
    }

    @Test func aReactorThatNeverStartedLeaksNothing() async {
      await #expect(processExitsWith: .success) {
        // What the runtime opens once for itself is open after the first one.
        _ = try Reactor().listen(port: 0)
        let before = openDescriptors()
        for _ in 0..<5 {
          let reactor = try Reactor()
          _ = try reactor.listen(port: 0)
        }
        // One a round would be a leak; one in all is the runtime's own.
        #expect(openDescriptors() - before < 5)
      }
    }
  }
}

/// An address of the block for documentation, where nobody answers.
let unroutable = SocketAddress(.v4(0xC000_0201), port: 9)
