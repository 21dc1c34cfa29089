import Foundation

/// The bases that the calls of one turn noted: they count for the calls that follow in it, and for
/// everybody once the turn is on disk. Where the disk refuses it, they are dropped with what they
/// tell of.
///
/// ```swift
/// loop.note(anchor)          // another call of this turn is compared with it
/// loop.commit()              // from now on it is what this storage knows, or it never was
/// ```
struct TurnNotes {
  private(set) var anchors: [SaveMemory.Place: SaveBase] = [:]
  private(set) var spaces: [UUID: SpaceBase] = [:]
  private(set) var forgotten: [UUID: EditMoment] = [:]

  var isEmpty: Bool { anchors.isEmpty && spaces.isEmpty && forgotten.isEmpty }

  func base(_ place: SaveMemory.Place, else known: SaveMemory) -> SaveBase? {
    if let base = anchors[place] { return base }
    return forgotten[place.space] == nil ? known.base(place) : nil
  }

  func base(of space: UUID, else known: SaveMemory) -> SpaceBase? {
    if let base = spaces[space] { return base }
    return forgotten[space] == nil ? known.base(of: space) : nil
  }

  mutating func note(_ base: SaveBase) {
    anchors[SaveMemory.Place(base.value)] = base
  }

  mutating func note(_ space: HBSpace) {
    spaces[space.id] = SpaceBase(value: space, noted: .next())
  }

  mutating func forget(space: UUID) {
    anchors = anchors.filter { $0.key.space != space }
    spaces[space] = nil
    forgotten[space] = .next()
  }
}
