/// Decides whom to dial when, as a value: no I/O, no clock, and the same answers for the same seed.
///
/// ```swift
/// var plan = DialPlan(seed: 1)
/// plan.give("10.0.0.1:7000", addresses: [address], at: now)
/// while let dial = plan.nextDial(at: now) { … }
/// ```
///
/// A target is tried in rounds: all its addresses one after the other, then a pause that doubles
/// from 250 ms to 2 s. One dial per target is under way at a time. `now` is monotonic milliseconds
/// and never goes back. Calls about unknown targets do nothing.
package struct DialPlan: Sendable {
  /// Whom to dial next.
  package struct Dial: Hashable, Sendable {
    package let target: String
    package let address: SocketAddress
  }

  /// Times in milliseconds.
  package enum Limits {
    package static let firstPause: UInt64 = 250
    package static let longestPause: UInt64 = 2_000
    /// Between two rounds for a target that discovery has lost.
    package static let lostPause: UInt64 = 10_000
    /// Until a target that discovery has lost is forgotten.
    package static let lostMemory: UInt64 = 600_000
    /// A link of at least this age makes the next pause short again.
    package static let steadyLink: UInt64 = 5_000
    /// Dials under way at one time.
    package static let dials = 8
    /// Targets known at one time; further ones are ignored.
    package static let targets = 1_024
  }

  enum Phase: Hashable, Sendable {
    case waiting(due: UInt64)
    case dialling(SocketAddress)
    case linked(since: UInt64)
  }

  struct Target: Sendable {
    var isGiven = false
    var isDiscovered = false
    /// In the order of preference.
    var addresses: [SocketAddress] = []
    /// Addresses of this round that did not answer.
    var tried: [SocketAddress] = []
    var lastWorked: SocketAddress?
    var phase: Phase
    var pause = Limits.firstPause
    /// No dial before; monotonic milliseconds.
    var heldUntil: UInt64 = 0
    var lostSince: UInt64?
  }

  var targets: [ExactText: Target] = [:]
  private var random: UInt64

  /// - Parameter seed: feeds the jitter, which keeps two peers from dialling in step for ever.
  package init(seed: UInt64) {
    random = seed
  }

  // MARK: Who is there

  /// Adds a target that a person gave, or replaces its addresses; it is kept until ``remove(_:)``.
  package mutating func give(_ target: String, addresses: [SocketAddress], at now: UInt64) {
    learn(target, addresses: addresses, at: now) { $0.isGiven = true }
  }

  /// Adds a target that discovery found, or replaces its addresses.
  package mutating func found(_ target: String, addresses: [SocketAddress], at now: UInt64) {
    learn(target, addresses: addresses, at: now) { entry in
      if entry.lostSince != nil { entry.pause = Limits.firstPause }
      entry.isDiscovered = true
      entry.lostSince = nil
    }
  }

  /// Discovery no longer sees the target; it is still tried now and then, and later forgotten.
  package mutating func lost(_ target: String, at now: UInt64) {
    let key = ExactText(target)
    guard targets[key]?.isDiscovered == true else { return }
    targets[key]?.isDiscovered = false
    if targets[key]?.isGiven == false { targets[key]?.lostSince = now }
  }

  /// Forgets the target.
  package mutating func remove(_ target: String) {
    targets[ExactText(target)] = nil
  }

  // MARK: How it went

  /// The target has a link, whoever dialled; it is not dialled until ``unlinked(_:at:)``.
  ///
  /// - Parameter address: the one that worked, tried first from now on; nil for an incoming link.
  package mutating func linked(_ target: String, address: SocketAddress? = nil, at now: UInt64) {
    let key = ExactText(target)
    guard var entry = targets[key] else { return }
    entry.phase = .linked(since: now)
    entry.tried = []
    if let address {
      entry.lastWorked = address
      entry.addresses = Self.ordered(entry.addresses, lastWorked: address)
    }
    targets[key] = entry
  }

  /// The target's link is gone.
  package mutating func unlinked(_ target: String, at now: UInt64) {
    let key = ExactText(target)
    guard var entry = targets[key], case .linked(let since) = entry.phase else { return }
    if now - since >= Limits.steadyLink { entry.pause = Limits.firstPause }
    if entry.lostSince != nil { entry.lostSince = now }
    // A link was there a moment ago, so that even a target lost to discovery deserves a quick try.
    rest(&entry, pause: entry.pause, at: now)
    targets[key] = entry
  }

  /// The dial under way for the target came to nothing; its next address is due at once, and after
  /// the last one a pause.
  package mutating func dialFailed(_ target: String, at now: UInt64) {
    let key = ExactText(target)
    guard var entry = targets[key], case .dialling(let address) = entry.phase else { return }
    entry.tried.append(address)
    if entry.addresses.allSatisfy(entry.tried.contains) {
      let pause = entry.lostSince == nil ? entry.pause : Limits.lostPause
      rest(&entry, pause: pause, at: now)
    } else {
      entry.phase = .waiting(due: now)
    }
    targets[key] = entry
  }

  /// Leaves the target alone until a time, for a reason that the plan need not know (it is this
  /// device itself, or it refused us); ends the dial under way.
  ///
  /// - Parameter until: monotonic milliseconds.
  package mutating func hold(_ target: String, until: UInt64) {
    let key = ExactText(target)
    guard var entry = targets[key] else { return }
    entry.heldUntil = until
    if case .dialling = entry.phase {
      entry.tried = []
      entry.phase = .waiting(due: until)
    }
    targets[key] = entry
  }

  // MARK: What to do

  /// Takes the dial that is due longest; nil when none is due or ``Limits/dials`` are under way.
  package mutating func nextDial(at now: UInt64) -> Dial? {
    forgetLost(at: now)
    guard dialsUnderWay < Limits.dials,
      let (due, key) = dueTimes.min(by: <), due <= now,
      let address = targets[key]?.addresses.first(where: { !targets[key]!.tried.contains($0) })
    else { return nil }
    targets[key]?.phase = .dialling(address)
    return Dial(target: key.text, address: address)
  }

  /// When ``nextDial(at:)`` may have something to say without another call before; nil for never.
  package var nextDeadline: UInt64? {
    let due = dialsUnderWay < Limits.dials ? dueTimes.map(\.0).min() : nil
    return [due, targets.values.compactMap(Self.forgetTime).min()].compactMap { $0 }.min()
  }

  /// The targets known, in the order of their bytes.
  package var knownTargets: [String] {
    targets.keys.sorted().map(\.text)
  }

  private var dialsUnderWay: Int {
    targets.values.count { if case .dialling = $0.phase { true } else { false } }
  }

  private var dueTimes: [(UInt64, ExactText)] {
    targets.compactMap { key, target in
      guard case .waiting(let due) = target.phase, !target.addresses.isEmpty else { return nil }
      return (max(due, target.heldUntil), key)
    }
  }

  private static func forgetTime(_ target: Target) -> UInt64? {
    if case .linked = target.phase { return nil }
    return target.lostSince.map { $0 + Limits.lostMemory }
  }

  private mutating func forgetLost(at now: UInt64) {
    targets = targets.filter { _, target in Self.forgetTime(target).map { $0 > now } ?? true }
  }

  private mutating func learn(
    _ target: String, addresses: [SocketAddress], at now: UInt64,
    _ change: (inout Target) -> Void
  ) {
    let key = ExactText(target)
    guard targets[key] != nil || targets.count < Limits.targets else { return }
    var entry = targets[key] ?? Target(phase: .waiting(due: now))
    let hadNone = entry.addresses.isEmpty
    let hasNew = !addresses.allSatisfy(entry.addresses.contains)
    let wasLost = entry.lostSince != nil
    change(&entry)
    entry.addresses = Self.ordered(addresses, lastWorked: entry.lastWorked)
    entry.tried.removeAll { !entry.addresses.contains($0) }
    if entry.tried.count == entry.addresses.count { entry.tried = [] }
    // News are a reason not to wait for the end of a pause.
    if case .waiting(let due) = entry.phase, hadNone || hasNew || wasLost {
      entry.phase = .waiting(due: min(due, now))
    }
    targets[key] = entry
  }

  /// Ends a round: all addresses count again, after a pause.
  private mutating func rest(_ entry: inout Target, pause: UInt64, at now: UInt64) {
    entry.tried = []
    entry.pause = min(entry.pause * 2, Limits.longestPause)
    // A lost target is tried at most that often; elsewhere up to a quarter comes off by chance.
    let jitter = pause < Limits.lostPause ? nextRandom() % (pause / 4 + 1) : 0
    entry.phase = .waiting(due: now + pause - jitter)
  }

  /// The one that worked last, then addresses valid everywhere, IPv4 first, then those of one
  /// segment.
  private static func ordered(
    _ addresses: [SocketAddress], lastWorked: SocketAddress?
  ) -> [SocketAddress] {
    func rank(_ address: SocketAddress) -> Int {
      if address == lastWorked { return 0 }
      return (address.isLinkLocal ? 3 : 1) + (address.isIPv6 ? 1 : 0)
    }
    var unique: [SocketAddress] = []
    for address in addresses where !unique.contains(address) { unique.append(address) }
    let ranked = unique.enumerated().sorted {
      (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
    }
    return ranked.prefix(NetLimits.addresses).map(\.element)
  }

  /// SplitMix64 (Steele, Lea and Flood 2014).
  private mutating func nextRandom() -> UInt64 {
    random &+= 0x9E37_79B9_7F4A_7C15
    var mixed = random
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
