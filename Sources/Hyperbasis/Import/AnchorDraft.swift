import HyperbasisCore

/// What an import wants one anchor to be.
///
/// ```swift
/// let draft = try AnchorDraft(id: id, transform: .identity, metadata: metadata)
/// ```
///
/// Every entry of `metadata` is to be set. Of the keys that the anchor has besides, those in
/// `ownedKeys` are to be unset and all others are left alone: they belong to the user.
package struct AnchorDraft: Equatable, Sendable {
  package let id: AnchorID
  package let transform: Transform
  package let metadata: Value.Object
  /// The metadata keys that the importer manages, in ascending order.
  package let ownedKeys: [Key]
  /// Whether the file says that the anchor was deleted.
  package let isDeleted: Bool

  /// - Throws: `ValueError` for a metadata entry beyond the limits.
  package init(
    id: AnchorID, transform: Transform, metadata: Value.Object, ownedKeys: [Key] = [],
    isDeleted: Bool = false
  ) throws(ValueError) {
    for entry in metadata.entries { try Value.check(entry.value, for: entry.key) }
    self.id = id
    self.transform = transform
    self.metadata = metadata
    self.ownedKeys = ownedKeys.sorted()
    self.isDeleted = isDeleted
  }
}
