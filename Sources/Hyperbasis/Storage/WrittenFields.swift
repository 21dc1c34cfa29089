import HyperbasisCore

/// Which fields of an anchor's value a save is about: those that its storage had not written before.
struct WrittenFields: Sendable {
  let isWhole: Bool
  let transform: Bool
  let existence: Bool
  let keys: [Key]
  /// When the value was made.
  let made: EditMoment
  let scope: EditScope

  /// To be taken before the edits are marked as saved.
  init(_ edits: ValueEdits, in scope: EditScope) {
    isWhole = edits.isFresh(in: scope)
    transform = edits.transform.isUnsaved(in: scope)
    existence = edits.existence.isUnsaved(in: scope)
    keys = edits.unsavedKeys(in: scope)
    made = edits.made
    self.scope = scope
  }

  /// The keys that a value built afresh removes: those that were removed from it, and those that it
  /// never had and that were known when it was made. Ascending.
  func removedKeys(of value: HBAnchor, over base: SaveBase?) -> [Key] {
    let missing = base?.keys(knownBefore: made) ?? []
    return Set(keys + missing).filter { !value.metadata.hasExactKey($0.text) }.sorted()
  }
}
