import HyperbasisCore
import HyperbasisNet
import HyperbasisSync

/// Whom to dial: discovered peers, addresses given by hand, and addresses that worked before.
///
/// It decides nothing about identity: who a peer is comes from the session.
///
/// Safe because: everything in it is touched only on the reactor's thread, or before that starts.
final class PeerNetwork: @unchecked Sendable {
  /// Milliseconds for a connection to come about.
  private static let dialMilliseconds: UInt64 = 3_000
  /// Milliseconds until a host name is looked up again.
  private static let resolveAgainMilliseconds: UInt64 = 10_000
  private static let discoveredPrefix = "service "

  private(set) var port: UInt16?
  private(set) var status = DiscoveryStatus.stopped

  private let reactor: Reactor
  private let replica: ReplicaID
  private var plan: DialPlan
  private let resolver = HostResolver()
  private var discovery: (any Discovery)?
  private var dials: [DialID: String] = [:]
  private var routes: [HyperbasisNet.LinkID: Route] = [:]
  private var replicas: [String: ReplicaID] = [:]
  /// Targets that the plan holds for linked.
  private var linked: Set<String> = []
  /// Host names given by hand, with the monotonic milliseconds of their next look-up.
  private var names: [String: (host: String, port: UInt16, due: UInt64)] = [:]
  /// The targets that were given by hand.
  private var given: Set<String> = []
  /// Why a target that was given by hand could not be reached the last time.
  private var complaints: [String: String] = [:]
  private var notices: [String] = []
  private var isStopped = false

  /// How a link came about.
  private struct Route {
    let target: String
    let address: SocketAddress
  }

  init(reactor: Reactor, replica: ReplicaID) {
    self.reactor = reactor
    self.replica = replica
    plan = DialPlan(seed: UInt64(truncatingIfNeeded: replica.bits))
  }

  // MARK: Inputs

  func began(port: UInt16) {
    self.port = port
  }

  /// Dials this from now on; `text` is its name in the plan.
  func give(_ text: String, _ endpoint: Endpoint, at now: UInt64) {
    given.insert(text)
    switch endpoint {
    case .address(let address): plan.give(text, addresses: [address], at: now)
    case .name(let host, let port): names[text] = (host, port, now)
    }
  }

  /// Tries an address that worked in an earlier run, now and then.
  func recall(_ address: SocketAddress, of replica: ReplicaID, at now: UInt64) {
    let target = "known \(address)"
    replicas[target] = replica
    plan.found(target, addresses: [address], at: now)
    plan.lost(target, at: now)
  }

  func attach(_ discovery: any Discovery) {
    self.discovery = discovery
  }

  func stop() -> (any Discovery)? {
    isStopped = true
    resolver.stop()
    for dial in dials.keys { reactor.cancel(dial) }
    defer { discovery = nil }
    return discovery
  }

  /// Takes a discovery event; returns the status when it changed.
  func discovered(_ event: DiscoveryEvent, at now: UInt64) -> DiscoveryStatus? {
    switch event {
    case .status(let new):
      guard new != status else { return nil }
      status = new
      return new
    case .found(let service):
      // The name is a hint only: it saves dialling oneself.
      guard ReplicaID(hex: service.instanceName.prefix(32)) != replica else { return nil }
      let target = PeerNetwork.discoveredPrefix + service.instanceName
      if let hinted = ReplicaID(hex: service.instanceName) { replicas[target] = hinted }
      plan.found(target, addresses: service.addresses, at: now)
      return nil
    case .lost(let name):
      plan.lost(PeerNetwork.discoveredPrefix + name, at: now)
      return nil
    }
  }

  /// Returns false for a link that is not wanted: the peer of a dial is connected already, or this
  /// one is being stopped.
  func opened(_ link: HyperbasisNet.LinkID, role: LinkRole, engine: Engine) -> Bool {
    guard isOn else { return false }
    guard let dial = role.dial, let target = dials.removeValue(forKey: dial) else { return true }
    complaints[target] = nil
    if let replica = replicas[target], engine.peers.contains(where: { $0.replica == replica }) {
      return false
    }
    routes[link] = Route(target: target, address: role.remote)
    return true
  }

  func closed(_ link: HyperbasisNet.LinkID, at now: UInt64) {
    guard let route = routes.removeValue(forKey: link) else { return }
    // A link that came and went within one turn was never told to the plan.
    if !linked.contains(route.target) { plan.dialFailed(route.target, at: now) }
  }

  /// Returns what to tell people: why an address given by hand is not reached, once for each reason.
  func dialFailed(_ dial: DialID, error: DialError, at now: UInt64) -> String? {
    guard let target = dials.removeValue(forKey: dial), !isStopped else { return nil }
    plan.dialFailed(target, at: now)
    if target.hasPrefix(PeerNetwork.discoveredPrefix) {
      discovery?.refresh(String(target.dropFirst(PeerNetwork.discoveredPrefix.count)))
    }
    return complaint(about: target, "\(error)")
  }

  /// A session ended: some reasons make a soon new try useless.
  func ended(_ link: HyperbasisSync.LinkID, farewell: Farewell, at now: UInt64) {
    guard let route = routes[HyperbasisNet.LinkID(link)] else { return }
    let pause: UInt64
    switch farewell.reason {
    case .leaving, .duplicate, .silent: return
    case .ownself: pause = 600_000
    case .version, .identity: pause = 60_000
    case .clock: pause = 30_000
    case .malformed, .busy: pause = 10_000
    case .storage: pause = 5_000
    }
    plan.hold(route.target, until: now + pause)
  }

  /// Brings the plan up to what the engine knows, and dials what is due.
  func reconcile(with engine: Engine, at now: UInt64) {
    guard !isStopped else { return }
    for (link, route) in routes {
      guard let peer = engine.peer(on: HyperbasisSync.LinkID(link)) else { continue }
      replicas[route.target] = peer.replica
    }
    let connected = Set(engine.peers.map(\.replica))
    for target in plan.knownTargets {
      let route = routes.values.first { $0.target == target }
      let isUp = route != nil || replicas[target].map(connected.contains) ?? false
      if isUp && linked.insert(target).inserted {
        plan.linked(target, address: route?.address, at: now)
      } else if !isUp && linked.remove(target) != nil {
        plan.unlinked(target, at: now)
      }
    }
    lookUpNames(at: now)
    while let dial = plan.nextDial(at: now) {
      let number = reactor.dial(
        dial.address, timeoutMilliseconds: PeerNetwork.dialMilliseconds)
      dials[number] = dial.target
    }
  }

  /// What name look-ups found to tell people since the last call.
  func takeNotices() -> [String] {
    defer { notices = [] }
    return notices
  }

  // MARK: Questions

  /// What holds now and was told once: that discovery is not to be had, and which addresses that were
  /// given by hand are not reached.
  var standingNotices: [String] {
    var notices: [String] = []
    if case .unavailable = status { notices.append(status.description) }
    return notices + complaints.sorted { $0.key < $1.key }.map { "\($0.value); trying again" }
  }

  /// Whether it began and was not stopped.
  var isOn: Bool { port != nil && !isStopped }

  var nextDeadline: UInt64? {
    ([plan.nextDeadline] + names.values.map(\.due)).compactMap { $0 }.min()
  }

  /// Where a connected peer was reached; nil when it dialled us.
  func dialledAddress(of replica: ReplicaID, in engine: Engine) -> String? {
    for (link, route) in routes
    where engine.peer(on: HyperbasisSync.LinkID(link))?.replica == replica {
      return route.address.description
    }
    return nil
  }

  // MARK: Private

  private func resolved(_ text: String, _ result: Result<[SocketAddress], ResolveError>) {
    switch result {
    case .success(let addresses): plan.give(text, addresses: addresses, at: MonotonicClock.now)
    case .failure(let error):
      if !isStopped, let notice = complaint(about: text, "\(error)") { notices.append(notice) }
    }
  }

  /// Why the addresses given by hand lead to nobody, in their order; nil where none is known to be in vain.
  var vainAddresses: String? {
    let reasons = complaints.sorted { $0.key < $1.key }.map(\.value)
    return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
  }

  private func complaint(about target: String, _ text: String) -> String? {
    guard given.contains(target), complaints.updateValue(text, forKey: target) != text else {
      return nil
    }
    return "\(text); trying again"
  }

  private func lookUpNames(at now: UInt64) {
    for (text, name) in names where name.due <= now {
      names[text]?.due = now + PeerNetwork.resolveAgainMilliseconds
      guard !linked.contains(text) else { continue }
      resolver.resolve(name: name.host, port: name.port, on: reactor) { [weak self] result in
        self?.resolved(text, result)
      }
    }
  }
}
