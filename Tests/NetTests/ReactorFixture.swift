import HyperbasisNet
import Testing

/// The tests of this module share sockets, descriptor numbers and limits of one process, so they
/// run one by one.
@Suite(.serialized) enum NetTests {}

/// What a reactor told its handler, in order.
enum Told: Equatable, Sendable {
  case opened(LinkID, dial: DialID?)
  case drained(LinkID)
  case closed(LinkID, CloseReason)
  case dialFailed(DialID, DialError)
  case acceptFailed(CloseReason)
}

/// Notes what a reactor tells, and lets a test wait for it.
///
/// Safe because: `box` is the only state that two threads touch, and it is locked.
final class Recorder: ReactorHandler, @unchecked Sendable {
  struct Box: Sendable {
    var told: [Told] = []
    var received: [LinkID: [UInt8]] = [:]
    var turns = 0
    var deadline: UInt64?
  }

  let box = Locked(Box())
  /// Sends back what comes in on accepted links.
  let echoes: Bool
  let reactor: Reactor

  init(reactor: Reactor, echoes: Bool = false) {
    self.reactor = reactor
    self.echoes = echoes
  }

  func linkOpened(_ link: LinkID, role: LinkRole) {
    box.withLock { $0.told.append(.opened(link, dial: role.dial)) }
  }

  func linkReceived(_ link: LinkID, _ bytes: [UInt8]) {
    box.withLock { $0.received[link, default: []] += bytes }
    if echoes { reactor.send(bytes, on: link) }
  }

  func linkDrained(_ link: LinkID) {
    box.withLock { $0.told.append(.drained(link)) }
  }

  func linkClosed(_ link: LinkID, reason: CloseReason) {
    box.withLock { $0.told.append(.closed(link, reason)) }
  }

  func dialFailed(_ dial: DialID, error: DialError) {
    box.withLock { $0.told.append(.dialFailed(dial, error)) }
  }

  func acceptFailed(remote: SocketAddress, reason: CloseReason) {
    box.withLock { $0.told.append(.acceptFailed(reason)) }
  }

  func turnEnded(at now: UInt64) {
    box.withLock { box in
      box.turns += 1
      if let deadline = box.deadline, deadline <= now { box.deadline = nil }
    }
  }

  var nextDeadline: UInt64? { box.withLock { $0.deadline } }

  var told: [Told] { box.withLock { $0.told } }

  func received(_ link: LinkID) -> [UInt8] { box.withLock { $0.received[link] ?? [] } }

  /// The links that opened, in order.
  var opened: [LinkID] {
    told.compactMap { if case .opened(let link, _) = $0 { link } else { nil } }
  }

  /// Why a link closed; nil while it has not.
  func closeReason(_ link: LinkID) -> CloseReason? {
    for case .closed(link, let reason) in told { return reason }
    return nil
  }

  /// Why a dial failed; nil while it has not.
  func failure(_ dial: DialID) -> DialError? {
    for case .dialFailed(dial, let error) in told { return error }
    return nil
  }
}

/// A running reactor with its recorder; stopped at the end of the test.
final class Host: Sendable {
  let reactor: Reactor
  let recorder: Recorder
  let port: UInt16

  init(
    echoes: Bool = false,
    makeLink: @escaping @Sendable (LinkRole) -> any Link = { _ in PlainLink() }
  ) throws {
    reactor = try Reactor(makeLink: makeLink)
    recorder = Recorder(reactor: reactor, echoes: echoes)
    port = try reactor.listen(port: 0)
    try reactor.start(handler: recorder)
  }

  deinit {
    reactor.stop()
  }

  /// Runs on the reactor's thread and waits for the result.
  func onReactor<Result: Sendable>(
    _ work: @escaping @Sendable (Reactor) -> Result
  ) throws -> Result {
    let box = Locked<Result?>(nil)
    let reactor = reactor
    reactor.post { box.withLock { $0 = work(reactor) } }
    return try wait("posted work") { box.withLock { $0 } }
  }

  /// Dials and waits for the link.
  func connect(_ remote: SocketAddress) throws -> LinkID {
    let dial = try onReactor { $0.dial(remote, timeoutMilliseconds: 5_000) }
    return try wait("link to \(remote)") {
      for case .opened(let link, dial: dial) in recorder.told { return link }
      return nil
    }
  }
}

struct TimedOut: Error, CustomStringConvertible {
  let description: String
}

/// Asks every millisecond until there is an answer.
@discardableResult
func wait<Answer>(
  _ what: String, seconds: UInt64 = 20, for answer: () -> Answer?
) throws -> Answer {
  let deadline = MonotonicClock.now + seconds * 1_000
  while MonotonicClock.now < deadline {
    if let answer = answer() { return answer }
    restAMillisecond()
  }
  throw TimedOut(description: "no \(what) within \(seconds) s")
}

/// Waits until a condition holds.
func wait(_ what: String, seconds: UInt64 = 20, until condition: () -> Bool) throws {
  let _: Bool = try wait(what, seconds: seconds) { condition() ? true : nil }
}

/// Bytes that repeat with a prime period, so that a loss or a swap shows.
func pattern(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var state = seed
  let block: [UInt8] = (0..<min(count, 65_521)).map { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt8(truncatingIfNeeded: state >> 56)
  }
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count + block.count)
  while bytes.count < count { bytes.append(contentsOf: block) }
  bytes.removeLast(bytes.count - count)
  return bytes
}

/// Compares many bytes without printing them all.
func expectBytes(
  _ bytes: [UInt8], _ expected: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
) {
  guard bytes != expected else { return }
  let difference = zip(bytes, expected).enumerated().first { $1.0 != $1.1 }?.offset
  Issue.record(
    "\(bytes.count) of \(expected.count) bytes, first difference at \(difference ?? -1)",
    sourceLocation: sourceLocation)
}
