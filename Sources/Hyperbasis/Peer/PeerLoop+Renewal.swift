import Foundation
import HyperbasisCore
import HyperbasisNet
import HyperbasisSync

/// Edits of a time when the clock was far ahead, which no peer takes: the store goes on as a new replica,
/// which writes them anew.
///
/// See `Docs/Decisions/0009-what-no-peer-takes-is-written-anew.md`.
extension PeerLoop {
  /// The beginning of 2025, in milliseconds: a clock that shows less is not believed.
  private static let firstPlausible: UInt64 = 1_735_689_600_000
  /// Milliseconds until it is tried again where the disk refused.
  private static let renewalRetry: UInt64 = 60_000

  /// Begins a renewal once two clocks say that it is due: the network ends, and begins anew with it.
  func seeToRenewal(at now: Now) {
    guard engine.isReadyToRenew(at: now), now.wall >= PeerLoop.firstPlausible,
      renewalDue.map({ $0 <= now.monotonic }) ?? true
    else { return }
    // What this begins is not begun twice.
    renewalDue = now.monotonic + PeerLoop.renewalRetry
    let start = network.isOn ? lastStart : nil
    let discovery = stopNetwork()
    restart = start
    Thread.detachNewThread { [self] in
      discovery?.stop()
      reactor.post { [self] in renew() }
    }
  }

  private func renew() {
    let start = restart
    restart = nil
    guard !network.isOn else {
      // It was begun meanwhile, as who this store was: once more from the beginning.
      renewalDue = nil
      return
    }
    commit()
    let (now, former) = (Now.current, store.replica)
    let ahead = engine.lead(at: now) / 1_000
    do {
      let count = try store.renew(beyond: now.renewalBound, at: now.timestamp)
      renewalDue = nil
      becomeNewReplica(after: former)
      tell(
        .notice(
          "\(count) edits were stamped up to \(ahead) s ahead of this device's clock and no peer took them: "
            + "they were written anew, by a new replica"))
    } catch {
      complain("edits that no peer takes could not be written anew: \(error)")
    }
    guard let start else { return }
    do { _ = try startNetwork(start.configuration, given: start.given) } catch {
      tell(.notice("the network could not begin again: \(error)"))
    }
  }

  private func becomeNewReplica(after former: ReplicaID) {
    let held = engine.rooms.keys
    replaceEngine(with: reload())
    // Those of which there is nothing yet are in no store.
    let setAside = damaged.compactMap(\.id)
    for space in held where engine.rooms[space] == nil && !setAside.contains(space) {
      engine.join(space, at: .current)
    }
    previousReplica = former
    maps.hasLeftovers = true
    let added = FormerSelf(replica: former, isDead: true)
    do { try note(former: settings.former + [added]) } catch { tell(.notice("\(error)")) }
    spacesToReview = Set(engine.rooms.keys)
    for watch in watches.values {
      guard let state = engine.rooms[watch.space]?.state else { continue }
      watch.became(
        record: state.record, anchors: state.anchors(includingDeleted: true), origin: .local)
    }
  }
}

extension PeerLoop {
  /// Goes on as the replica that the store is now, with these spaces and without a link.
  func replaceEngine(with spaces: [StoredSpace]) {
    for link in engine.linkIDs { reactor.close(HyperbasisNet.LinkID(link), afterFlush: true) }
    let hello = Hello(
      device: store.device, replica: store.replica, incarnation: engine.local.incarnation,
      name: engine.local.name)
    engine = Engine(local: hello, spaces: spaces)
    statesSince = .next()
    knownJoins = [:]
    for watch in watches.values { engine.watch(watch.space) }
    network = PeerNetwork(reactor: reactor, replica: store.replica)
  }
}

/// How the network began.
struct NetworkStart {
  let configuration: PeerConfiguration
  let given: [(String, Endpoint)]
}
