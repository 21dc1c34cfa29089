import Foundation

extension MockStorage {
  /// A method of a storage; the ones named `save` and `loadAnchors` are one each.
  public enum Operation: CaseIterable, Hashable, Sendable {
    /// ``HBStorage/open()``.
    case open
    /// ``HBStorage/save(_:)-(HBSpace)``.
    case saveSpace
    /// ``HBStorage/loadSpace(id:)``.
    case loadSpace
    /// ``HBStorage/loadAllSpaces()``.
    case loadAllSpaces
    /// ``HBStorage/deleteSpace(id:)``.
    case deleteSpace
    /// ``HBStorage/joinSpace(id:)``.
    case joinSpace
    /// ``HBStorage/offeredSpaces()``.
    case offeredSpaces
    /// ``HBStorage/save(_:)-(HBAnchor)`` and ``HBStorage/save(_:in:)``.
    case saveAnchor
    /// ``HBStorage/loadAnchors(spaceId:includeDeleted:)``, also of models.
    case loadAnchors
    /// ``HBStorage/loadAnchor(id:)``.
    case loadAnchor
    /// ``HBStorage/deleteAnchor(id:)``.
    case deleteAnchor
    /// ``HBStorage/purgeDeletedAnchors(before:)``.
    case purgeDeletedAnchors
    /// ``HBStorage/update(anchorId:_:)``.
    case updateAnchor
    /// ``HBStorage/transaction(spaceId:_:)``.
    case transaction
    /// ``HBStorage/timeline(spaceId:)``.
    case timeline
    /// ``HBStorage/anchorsAt(spaceId:date:)``.
    case anchorsAt
    /// ``HBStorage/diff(spaceId:from:to:)``.
    case diff
    /// ``HBStorage/history(anchorId:)``.
    case history
    /// ``HBStorage/spaceHistory(spaceId:)``.
    case spaceHistory
    /// ``HBStorage/rollback(anchorId:toVersion:)``.
    case rollback
    /// ``HBStorage/sync()``.
    case sync
    /// ``HBStorage/suspend()``; it does not throw, so no failure meets it.
    case suspend
    /// ``HBStorage/resume()``.
    case resume
    /// ``HBStorage/clearLocalStorage()``; delays do not meet it.
    case clearLocalStorage
    /// ``HBStorage/localStorageSize()``; delays do not meet it.
    case localStorageSize
  }

  /// One call of a method, with what it was given.
  public enum Call: Equatable, Sendable {
    /// The storage was opened.
    case open
    /// This space was to be saved.
    case saveSpace(HBSpace)
    /// The space with this id was asked for.
    case loadSpace(id: UUID)
    /// All spaces were asked for.
    case loadAllSpaces
    /// The space with this id was to be deleted.
    case deleteSpace(id: UUID)
    /// The space with this id was to be joined.
    case joinSpace(id: UUID)
    /// The spaces of peers were asked for.
    case offeredSpaces
    /// An anchor, or a model as the anchor that it comes to.
    case saveAnchor(HBAnchor)
    /// The anchors of a space were asked for, as anchors or as models.
    case loadAnchors(spaceId: UUID, includeDeleted: Bool)
    /// The anchor with this id was asked for.
    case loadAnchor(id: UUID)
    /// The anchor with this id was to be deleted.
    case deleteAnchor(id: UUID)
    /// Anchors that were deleted before this date were to be forgotten.
    case purgeDeletedAnchors(before: Date)
    /// The anchor with this id was to be edited in one step; the closure is not kept.
    case updateAnchor(id: UUID)
    /// A transaction in this space; the closure is not kept.
    case transaction(spaceId: UUID)
    /// The timeline of this space was asked for.
    case timeline(spaceId: UUID)
    /// The anchors of a space at this date were asked for.
    case anchorsAt(spaceId: UUID, date: Date)
    /// The difference between two dates was asked for.
    case diff(spaceId: UUID, from: Date, to: Date)
    /// The events of this anchor were asked for.
    case history(anchorId: UUID)
    /// The events of this space itself were asked for.
    case spaceHistory(spaceId: UUID)
    /// The anchor was to be brought back to this version.
    case rollback(anchorId: UUID, toVersion: Int)
    /// A sync was asked for.
    case sync
    /// The app went to the background.
    case suspend
    /// The app came back.
    case resume
    /// All of it was to be forgotten.
    case clearLocalStorage
    /// The bytes that it takes were asked for.
    case localStorageSize

    /// Which method it was.
    public var operation: Operation {
      switch self {
      case .open: .open
      case .saveSpace: .saveSpace
      case .loadSpace: .loadSpace
      case .loadAllSpaces: .loadAllSpaces
      case .deleteSpace: .deleteSpace
      case .joinSpace: .joinSpace
      case .offeredSpaces: .offeredSpaces
      case .saveAnchor: .saveAnchor
      case .loadAnchors: .loadAnchors
      case .loadAnchor: .loadAnchor
      case .deleteAnchor: .deleteAnchor
      case .purgeDeletedAnchors: .purgeDeletedAnchors
      case .updateAnchor: .updateAnchor
      case .transaction: .transaction
      case .timeline: .timeline
      case .anchorsAt: .anchorsAt
      case .diff: .diff
      case .history: .history
      case .spaceHistory: .spaceHistory
      case .rollback: .rollback
      case .sync: .sync
      case .suspend: .suspend
      case .resume: .resume
      case .clearLocalStorage: .clearLocalStorage
      case .localStorageSize: .localStorageSize
      }
    }
  }
}
