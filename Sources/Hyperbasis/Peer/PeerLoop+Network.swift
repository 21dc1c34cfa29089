import HyperbasisCore
import HyperbasisNet
import HyperbasisSync

extension PeerLoop {
  /// What the advertisement says besides the port: the protocol version, nothing of the user.
  private static let serviceRecord: TXTRecord = {
    do { return try TXTRecord([("v", Array("\(Hello.versions.upperBound)".utf8))]) } catch {
      preconditionFailure("the record is well formed: \(error)")
    }
  }()

  /// Listens, dials and looks for peers from now on; returns the port.
  ///
  /// - Throws: `PeerError.network` when the port is taken.
  func startNetwork(
    _ configuration: PeerConfiguration, given: [(String, Endpoint)]
  ) throws(PeerError) -> UInt16 {
    if let port = network.port { return port }
    let port = try listen(configuration.port)
    network.began(port: port)
    lastStart = NetworkStart(configuration: configuration, given: given)
    offersWhenLastOn = []
    let now = MonotonicClock.now
    for (text, endpoint) in given { network.give(text, endpoint, at: now) }
    recallPeers(at: now)
    for notice in storeNotices { tell(.notice(notice)) }
    if configuration.usesDiscovery { try startDiscovery(port: port) }
    return port
  }

  /// A network that was off for a while comes back on its port, where peers remember it.
  private func listen(_ wanted: UInt16) throws(PeerError) -> UInt16 {
    if wanted == 0, let lastPort, let port = try? reactor.listen(port: lastPort) { return port }
    do throws(ListenError) { return try reactor.listen(port: wanted) } catch {
      throw PeerError(error)
    }
  }

  /// Says farewell on every link; returns the discovery, which is to be stopped elsewhere since that
  /// may block.
  func stopNetwork() -> (any Discovery)? {
    restart = nil
    for link in engine.linkIDs { end(link, with: Farewell(.leaving, "the peer was stopped")) }
    reactor.stopListening()
    lastPort = network.port ?? lastPort
    defer { network = PeerNetwork(reactor: reactor, replica: engine.local.replica) }
    return network.stop()
  }

  private func recallPeers(at now: UInt64) {
    do {
      for peer in try store.knownPeers() {
        guard let address = try? SocketAddress(parsing: peer.address) else { continue }
        network.recall(address, of: peer.replica, at: now)
      }
    } catch {
      tell(.notice("\(error)"))
    }
  }

  private func startDiscovery(port: UInt16) throws(PeerError) {
    let discovery: DNSSDDiscovery
    do { discovery = try DNSSDDiscovery() } catch { throw PeerError(error) }
    network.attach(discovery)
    let advertisement = Advertisement(
      instanceName: engine.local.replica.hex, port: port, txt: PeerLoop.serviceRecord)
    let reactor = reactor
    // The loop lives as long as its reactor runs, which ends after discovery is stopped.
    discovery.start(advertisement: advertisement) { [self, network] event in
      reactor.post { [self] in
        let status = network.discovered(event, at: MonotonicClock.now)
        if let status { tell(.discovery(status)) }
      }
    }
  }
}
