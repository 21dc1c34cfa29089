import Foundation
import HyperbasisCore

extension HBStorage {
  // MARK: Retention and members

  /// What a space keeps of its past. O(1).
  ///
  /// - Throws: `HBStorageError.notFound` for a space that is unknown here or deleted, `fileOperationFailed` when the
  ///   directory cannot be opened or the space is damaged.
  public func retention(spaceId: UUID) async throws -> HBRetention {
    try await read { loop throws(HBStorageError) in
      HBRetention(try loop.spaceToAsk(SpaceID(spaceId)).retention)
    }
  }

  /// Says what a space keeps of its past, from now on and on every device.
  ///
  /// ```swift
  /// try await storage.setRetention(.latest, spaceId: space.id)
  /// ```
  ///
  /// The first time, all stores that have written to the space become its ``members(spaceId:)``. A device that comes
  /// later joins by itself. What is kept no longer is deleted a few seconds after all members have it; histories,
  /// ``anchorsAt(spaceId:date:)`` and ``rollback(anchorId:toVersion:)`` then know it no more, and calls with the id of
  /// a deleted anchor say `notFound`. A member that is away holds all of it back until it is met, or
  /// retired: see ``heldBack(spaceId:)``. O(replicas of the space), one disk write.
  ///
  /// - Throws: `HBStorageError.notFound` for a space that is unknown here or deleted, `encodingFailed` for a time span
  ///   that is not above 0, and with ``HBMemberFailure/notJoined(spaceId:)`` where this storage is to join the space
  ///   first; `fileOperationFailed` when the disk refuses or the space is damaged.
  public func setRetention(_ retention: HBRetention, spaceId: UUID) async throws {
    let wanted: Retention
    do throws(HBValueFailure) { wanted = try retention.checked() } catch {
      throw HBStorageError.encodingFailed(underlying: error)
    }
    try await turn { loop throws(HBStorageError) in
      _ = try loop.spaceToAsk(SpaceID(spaceId))
      do throws(PeerError) { try loop.retain(wanted, in: SpaceID(spaceId)) } catch {
        throw HBStorageError(error)
      }
    }
  }

  /// The stores whose devices are waited for before anything of a space is given up, ascending by id; retired ones as
  /// well. None while the space keeps everything and always did.
  ///
  /// ```swift
  /// for member in try await storage.members(spaceId: space.id) where !member.isRetired {
  ///   print(member.name ?? member.id.uuidString, member.missingChanges ?? -1)  // Tablet 2041
  /// }
  /// ```
  ///
  /// O(members, and registers of the space).
  ///
  /// - Throws: as ``retention(spaceId:)``.
  public func members(spaceId: UUID) async throws -> [HBMember] {
    try await read { loop throws(HBStorageError) in
      _ = try loop.spaceToAsk(SpaceID(spaceId))
      return loop.members(of: SpaceID(spaceId))
    }
  }

  /// Has nobody wait for a member any more, on any device; one that is retired already stays so.
  ///
  /// ```swift
  /// for member in try await storage.heldBack(spaceId: space.id).waitingFor {
  ///   try await storage.retire(memberId: member.id, spaceId: space.id)
  /// }
  /// ```
  ///
  /// What it held back goes once all other members have heard of it. If its device comes back after all, it joins
  /// anew by itself and is told (``rejoins()``): nothing that was deleted comes back with it, and the edits
  /// that it had not sent stay. One disk write.
  ///
  /// A storage that was restored from a backup while all other devices are lost retires these, and at last its own former
  /// id, whose place it takes then.
  ///
  /// - Throws: `HBStorageError.notFound` for an id that is no member, or a space that is unknown here or deleted;
  ///   `encodingFailed` with an ``HBMemberFailure`` for this very storage, a space without members, and where this
  ///   storage is to join the space first; `fileOperationFailed` when the disk refuses or the space is damaged.
  public func retire(memberId: UUID, spaceId: UUID) async throws {
    try await turn { loop throws(HBStorageError) in
      _ = try loop.spaceToAsk(SpaceID(spaceId))
      do throws(PeerError) {
        try loop.retire(ReplicaID(memberId), from: SpaceID(spaceId))
      } catch {
        throw HBStorageError(error)
      }
    }
  }

  /// What of a space's past is kept longer than its retention says, since not all members are known to have it.
  ///
  /// ```swift
  /// let held = try await storage.heldBack(spaceId: space.id)
  /// print(held.deletedAnchors, held.changes, held.waitingFor.map { $0.name ?? "?" })  // 99900 200000 ["Tablet"]
  /// ```
  ///
  /// For some seconds after each change something is held back as a rule, until all have told that they have it.
  /// O(registers of the space).
  ///
  /// - Throws: as ``retention(spaceId:)``.
  public func heldBack(spaceId: UUID) async throws -> HBHeldBack {
    try await read { loop throws(HBStorageError) in
      _ = try loop.spaceToAsk(SpaceID(spaceId))
      return loop.heldBack(in: SpaceID(spaceId))
    }
  }

  /// The spaces that this storage joined anew since it was opened, each with the last time.
  ///
  /// ``notices`` has a line for each; observers of the space see what went and what came.
  ///
  /// - Throws: what ``open()`` throws.
  public func rejoins() async throws -> [HBRejoin] {
    try await read { loop throws(HBStorageError) in loop.rejoins.values }
  }
}
