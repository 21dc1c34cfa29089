import Foundation
import HyperbasisCore
import HyperbasisNet

extension HBStorage {
  // MARK: Observation

  /// Every change of a space from now on, in the order in which it was kept here, with the anchors
  /// before and after.
  ///
  /// ```swift
  /// for await change in storage.changes(spaceId: space.id) {
  ///   print(change.origin, change.anchors.map { $0.after?.stringMetadata(forKey: "text") ?? "-" })
  /// }
  /// // peer(id: ..., name: "Kitchen display") ["Buy milk"]
  /// ```
  ///
  /// Nothing is lost: when more than 256 changes wait for the reader, they become one, which has each
  /// anchor once with its first state before and its last one after. What one save or transaction
  /// wrote is in one change; so may be what came from a peer together. A space that is not held yet
  /// may be observed; with one that is damaged (``damagedSpaces()``) it ends at once. Once `next()`
  /// returns a change, what it has as `after` counts as handed out, as if it had been loaded: values
  /// built afresh are compared with that. Memory: the anchors of the space once for each reader.
  public func changes(spaceId: UUID) -> HBUpdates<HBChange> {
    guard let peer = try? peer() else { return .ended }
    let mailbox = Mailbox<ToldChange>(limit: 256, merge: ToldChange.merged)
    let space = SpaceID(spaceId)
    return updates(through: peer, mailbox) { [memory = core.memory] told in
      // The memory only: the storage may be released while it is observed.
      memory.note(told)
      return told.change
    } begin: { [weak peer] loop in
      guard loop.isReadable(space) else {
        mailbox.finish()
        return {}
      }
      let show: (SpaceRecord?) -> HBSpace? = { record in
        guard let record, let existence = record.existence, existence.deleted == nil, let peer
        else { return nil }
        return loop.space(space, record, peer: peer)
      }
      let number = loop.watch(
        space, show: show, tell: { mailbox.post($0) }, finish: { mailbox.finish() })
      return { loop.unwatch(number) }
    }
  }

  /// The living anchors of a space, sorted as by ``loadAnchors(spaceId:includeDeleted:)``: at once, and
  /// after changes.
  ///
  /// States that nobody read are skipped, and so is one that is as the last that was read; those that were
  /// read count as handed out. With a space that is
  /// damaged it ends at once: ``loadAnchors(spaceId:includeDeleted:)`` says why. O(n log n) for each
  /// array that is read.
  public func anchors(spaceId: UUID) -> HBUpdates<[HBAnchor]> {
    let space = SpaceID(spaceId)
    return states { [weak self] in
      try? await self?.loadAnchors(spaceId: spaceId)
    } changing: { news in
      if case .event(.changed(space, _, _)) = news { return true }
      if case .cleared = news { return true }
      return false
    }
  }

  /// The devices that this storage is connected to or was since it was opened: at once, and when one
  /// comes or goes. Connected ones come first.
  public var peers: HBUpdates<[HBPeerInfo]> {
    states { [weak self] in
      try? await self?.read { loop throws(HBStorageError) in loop.peerInfos }
    } changing: { news in
      switch news {
      case .event(.connected), .event(.gone), .cleared: true
      default: false
      }
    }
  }

  /// How far each peer is with a space: at once, and when that changes.
  ///
  /// A peer tells how far it is within about a quarter of a second after things are quiet. With a space
  /// that is damaged, and so is not synced, it ends at once.
  public func syncStatus(spaceId: UUID) -> HBUpdates<[HBSyncStatus]> {
    let space = SpaceID(spaceId)
    return states { [weak self] in
      try? await self?.read { loop throws(HBStorageError) in
        try loop.checkReadable(space)
        return loop.syncStatus(of: space)
      }
    } changing: { news in
      switch news {
      case .event(.connected), .event(.gone), .cleared: true
      case .event(.changed(space, _, _)), .event(.told(space, _)): true
      default: false
      }
    }
  }

  /// What concerns people and no call can report, a line each: discovery is not to be had, clocks
  /// differ, the disk is full, a space is damaged.
  ///
  /// It begins with what holds already, so that nothing is missed that was found when the storage opened.
  ///
  /// ```swift
  /// for await line in storage.notices { print(line) }
  /// // space 3F2504E0-... of the store '/home/ada/room' is damaged and set aside: ...; repair the store
  /// ```
  ///
  /// A reader that falls 256 lines behind loses those.
  public var notices: HBUpdates<String> {
    guard let peer = try? peer() else { return .ended }
    let mailbox = Mailbox<String>(limit: 256) { $0[$0.count - 1] }
    return updates(through: peer, mailbox) {
      $0
    } begin: { loop in
      // These are told again whenever the network begins.
      let known = Set(loop.storeNotices)
      for text in loop.standingNotices { mailbox.post(text) }
      let number = loop.observe { news in
        guard case .status(let text)? = PeerReport(news), !known.contains(text) else { return }
        mailbox.post(text)
      } finish: {
        mailbox.finish()
      }
      return { loop.forget(observer: number) }
    }
  }

  // MARK: Private

  /// A sequence of current states, read anew when news say so; one that equals the last is skipped.
  func states<State: Sendable & Equatable>(
    _ read: @escaping @Sendable () async -> State?,
    changing: @escaping @Sendable (PeerNews) -> Bool
  ) -> HBUpdates<State> {
    guard let peer = try? peer() else { return .ended }
    let mailbox = Mailbox<Void>(limit: 1) { _ in () }
    mailbox.post(())
    let signals: HBUpdates<Void> = updates(through: peer, mailbox) {
    } begin: { loop in
      let number = loop.observe { news in
        if changing(news) { mailbox.post(()) }
      } finish: {
        mailbox.finish()
      }
      return { loop.forget(observer: number) }
    }
    let last = Locked<State?>(nil)
    return HBUpdates {
      var iterator = signals.makeAsyncIterator()
      while await iterator.next() != nil, let state = await read() {
        let isNew = last.withLock { last in
          defer { last = state }
          return last != state
        }
        if isNew { return state }
      }
      return nil
    } cancel: {
    }
  }

  /// A sequence of what `begin` has posted; `begin` returns what ends that, and both run on the loop.
  ///
  /// `handOut` makes of that what the reader gets, just before it does: in the `next()` of the one
  /// iterator, since a sequence over this one would read it a second time.
  private func updates<Item: Sendable, Element: Sendable>(
    through peer: LocalPeer, _ mailbox: Mailbox<Item>,
    handOut: @escaping @Sendable (Item) -> Element,
    begin: @escaping @Sendable (PeerLoop) -> @Sendable () -> Void
  ) -> HBUpdates<Element> {
    let loop = peer.loop
    let end = LoopValue<@Sendable () -> Void>()
    let isOpen = peer.post { end.value = begin(loop) }
    guard isOpen else { return .ended }
    return HBUpdates {
      await mailbox.next().map(handOut)
    } cancel: { [weak peer] in
      mailbox.finish()
      peer?.post { end.value?() }
    }
  }
}

/// A value that belongs to the loop's thread.
///
/// Safe because: it is read and written in turns of one loop only.
private final class LoopValue<Value>: @unchecked Sendable {
  var value: Value?
}
