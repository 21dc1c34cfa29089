import Foundation

extension MockStorage {
  /// A method of a storage; the ones named `save` and `loadAnchors` are one each.
  public enum Operation: CaseIterable, Hashable, Sendable {
    case open
    case saveSpace, loadSpace, loadAllSpaces, deleteSpace, joinSpace, offeredSpaces
    case saveAnchor, loadAnchors, loadAnchor, deleteAnchor, purgeDeletedAnchors
    case updateAnchor, transaction
    case timeline, anchorsAt, diff, history, spaceHistory, rollback
    case sync, suspend, resume
    case clearLocalStorage, localStorageSize
  }

  /// One call of a method, with what it was given.
  public enum Call: Equatable, Sendable {
    case open
    case saveSpace(HBSpace)
    case loadSpace(id: UUID)
    case loadAllSpaces
    case deleteSpace(id: UUID)
    case joinSpace(id: UUID)
    case offeredSpaces
    /// An anchor, or a model as the anchor that it comes to.
    case saveAnchor(HBAnchor)
    case loadAnchors(spaceId: UUID, includeDeleted: Bool)
    case loadAnchor(id: UUID)
    case deleteAnchor(id: UUID)
    case purgeDeletedAnchors(before: Date)
    case updateAnchor(id: UUID)
    case transaction(spaceId: UUID)
    case timeline(spaceId: UUID)
    case anchorsAt(spaceId: UUID, date: Date)
    case diff(spaceId: UUID, from: Date, to: Date)
    case history(anchorId: UUID)
    case spaceHistory(spaceId: UUID)
    case rollback(anchorId: UUID, toVersion: Int)
    case sync
    case suspend
    case resume
    case clearLocalStorage
    case localStorageSize

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
