import Foundation
import HyperbasisCore
import HyperbasisNet
import HyperbasisSync

/// What a space keeps of its past, for whom, and what becomes of stores that are no members.
extension PeerLoop {
  /// The state of a space that is asked about.
  ///
  /// - Throws: `HBStorageError` for one that is unknown, deleted or damaged.
  func spaceToAsk(_ space: SpaceID) throws(HBStorageError) -> SpaceState {
    try checkReadable(space)
    guard let state = shownState(of: space) else { throw .notFound(type: "space", id: UUID(space)) }
    return state
  }

  // MARK: Writing

  /// - Throws: `PeerError` where this replica is to join first, or the space is not held.
  package func retain(_ retention: Retention, in space: SpaceID) throws(PeerError) {
    let state = try state(of: space)
    guard state.hasMembers || retention != .everything else { return }
    try checkIsMember(of: state)
    _ = engine.retain(retention, in: space, at: .current)
  }

  /// Has nobody wait for a member any more.
  ///
  /// A replica that is no member can retire the last one that is left, whose place it takes: nobody else could. A store
  /// that was a member under another id, as one that was restored, can retire the others before, should all be gone: to
  /// those that are not it says nothing by that, since it joins when it meets one.
  ///
  /// - Throws: `PeerError.member`, or `unknownSpace`.
  package func retire(_ member: ReplicaID, from space: SpaceID) throws(PeerError) {
    let state = try state(of: space)
    guard state.hasMembers else { throw .member(.noMembers(spaceId: UUID(space))) }
    guard member != engine.local.replica else {
      throw .member(.thisDevice(memberId: UUID(member), spaceId: UUID(space)))
    }
    guard let entry = state.member(member) else {
      throw .member(.unknownMember(memberId: UUID(member), spaceId: UUID(space)))
    }
    guard entry.membership != .retired else { return }
    if state.activeMembers == [member] { return succeed(member, in: space) }
    if !wasMember(of: state) { try checkIsMember(of: state) }
    _ = engine.retire(member, from: space, at: .current)
  }

  private func checkIsMember(of state: SpaceState) throws(PeerError) {
    let own = state.member(engine.local.replica)
    guard state.hasMembers, own.map({ $0.membership == .retired }) ?? true else { return }
    throw .member(.notJoined(spaceId: UUID(state.id)))
  }

  /// Whether the list has this store, under an id that it had.
  private func wasMember(of state: SpaceState) -> Bool {
    settings.former.contains { state.member($0.replica) != nil }
  }

  /// Takes the place of the only member.
  private func succeed(_ former: ReplicaID, in space: SpaceID) {
    let operations: [HyperbasisCore.Operation] = [
      .member(former, .retired), .member(engine.local.replica, .joined),
    ]
    _ = engine.edit(space, operations, at: .current)
  }

  // MARK: Former selves

  /// Retires who this store certainly was and is no more, where it is a member itself or the other was the only
  /// one; `Docs/Decisions/0008` says why not in other cases.
  func retireFormerSelves() {
    let spaces = spacesToReview.sorted()
    spacesToReview = []
    for space in spaces {
      guard let state = engine.rooms[space]?.state, state.hasMembers else { continue }
      for former in settings.former where former.isDead {
        let active = engine.rooms[space]!.state.activeMembers
        guard active.contains(former.replica) else { continue }
        if active.contains(engine.local.replica) {
          _ = engine.retire(former.replica, from: space, at: .current)
        } else if active == [former.replica] {
          succeed(former.replica, in: space)
        }
      }
    }
  }

  // MARK: Joins

  /// The space's own registers changed: perhaps as it was joined.
  func noteMembers(of space: SpaceID) {
    if !settings.former.isEmpty { spacesToReview.insert(space) }
    guard let joins = engine.rooms[space]?.joins, joins.count > 0,
      knownJoins.updateValue(joins.count, forKey: space) != joins.count, joins.isReturn
    else { return }
    let sponsor = joins.sponsor.flatMap { book.entries[$0]?.peer.name } ?? ""
    rejoins[space] = HBRejoin(
      spaceId: UUID(space), date: Date(), through: sponsor,
      offered: joins.offered.map { HBAnchor($0, in: space, from: scope) })
    tell(.notice(rejoinNotice(rejoins[space]!)))
  }

  /// Anchors of a space were given up: what was kept of them for saves and observers goes as well. Where the space was
  /// joined just now, saves may still come of values that tell of them.
  func forgetGone(in space: SpaceID) {
    guard let room = engine.rooms[space] else { return }
    for watch in watches.values where watch.space == space {
      watch.forget { room.state.slotNumber(of: $0) == nil }
    }
    guard room.joins.count == knownJoins[space] ?? 0 else { return }
    memory.forget(in: UUID(space)) { room.state.slotNumber(of: AnchorID($0)) == nil }
  }

  func forgetJoins() {
    spacesToReview = []
    knownJoins = [:]
    rejoins = SortedMap()
  }

  /// A line for each space that was joined anew.
  var rejoinNotices: [String] { rejoins.values.map(rejoinNotice) }

  private func rejoinNotice(_ rejoin: HBRejoin) -> String {
    let offered = rejoin.offered.count
    return
      "this device was no member of space \(SpaceID(rejoin.spaceId)) and joined it through "
      + "\(rejoin.through.shown): its edits that others lacked stay"
      + (offered == 0 ? "" : ", but for \(offered) of anchors that are deleted there")
  }

  // MARK: Questions

  package func members(of space: SpaceID) -> [HBMember] {
    guard let state = engine.rooms[space]?.state else { return [] }
    let known = PeopleBook(self)
    let awaited = engine.heldBack(in: space, at: .current)?.members ?? []
    return state.members.map { member in
      self.member(member, of: space, isWaitedFor: awaited.contains(member.replica), known)
    }
  }

  package func heldBack(in space: SpaceID) -> HBHeldBack {
    let held = engine.heldBack(in: space, at: .current) ?? HeldBack()
    return HBHeldBack(
      deletedAnchors: held.hidden.anchors, removedKeys: held.hidden.keys,
      changes: Int(clamping: held.changes),
      waitingFor: held.members.isEmpty ? [] : members(of: space).filter(\.isWaitedFor),
      waitsToJoin: held.isNoMember)
  }

  private func member(
    _ member: Member, of space: SpaceID, isWaitedFor: Bool, _ known: PeopleBook
  ) -> HBMember {
    HBMember(
      id: UUID(member.replica), name: known.name(of: member.replica),
      isThisDevice: member.replica == engine.local.replica,
      isConnected: known.connected.contains(member.replica),
      since: Date(nanoseconds: member.stamp.timestamp.nanoseconds),
      isRetired: member.membership == .retired, isWaitedFor: isWaitedFor,
      missingChanges: engine.lag(of: member.replica, in: space).map { Int(clamping: $0) },
      successorId: known.successor(of: member.replica).map { UUID($0) })
  }
}
