import HyperbasisCore
import HyperbasisSync

/// Peers whose clocks were quite wrong, and who go on as others.
extension World {
  /// Has a peer renewed whose stamps are ahead of its clock, and of another peer's. Once the network is whole
  /// it need not have met another.
  func noteRenewal(of node: Node) {
    let time = time(at: node)
    guard node.isUp, !node.renewalIsDue, isPlausible(time),
      node.ask({ engine in
        isHealed
          ? engine.lead(at: time) > Limits.renewalMilliseconds && !engine.isAskingPeers
          : engine.isReadyToRenew(at: time)
      })
    else { return }
    node.renewalIsDue = true
    schedule(.renew(node.number, boot: node.boot), in: 0)
  }

  /// A driver knows that it does not run before it was made.
  private func isPlausible(_ time: Now) -> Bool { time.wall + 600_000 > World.epoch }

  func renew(_ node: Node) {
    node.renewalIsDue = false
    // Between two turns it is noted anew.
    guard node.isUp, node.writes == nil else { return }
    trace.note(.renewed, at: now, node.number, 0)
    let time = time(at: node)
    let before = node.disk.kept
    tearDown(node)
    let replica = ReplicaID(UInt128(identities.next()) << 64 | UInt128(identities.next()))
    do {
      let states = try node.disk.load().map(\.state)
      let renewals = try node.renew(as: replica, beyond: time.renewalBound, at: time.timestamp)
      model.forget(before, but: nodes.map(\.disk.kept))
      for (space, renewal) in renewals {
        let state = states.first { $0.id == space }!
        model.renew(space, beyond: time.renewalBound, of: state.vector)
        // What was given up is not written anew.
        if state.hasMembers { model.giveUp(state, beyond: VersionVector()) }
        note(renewal, in: space)
      }
    } catch {
      fail("renewal", at: node, "what is written anew does not fit: \(error)")
    }
    schedule(.restart(node.number), in: 1)
  }

  private func note(_ renewal: Renewal, in space: SpaceID) {
    for (change, former) in zip(renewal.changes, renewal.formerDots) {
      if let text = model.record(change, in: space) { fail("sequences", text) }
      model.note(change.dot, for: former, in: space)
      let actions = appActions[AppChange(space: space, dot: former)]
      if let actions { appActions[AppChange(space: space, dot: change.dot)] = actions }
    }
  }
}
