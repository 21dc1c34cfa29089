import Synchronization

/// Whose writes count: those of one storage, and within a transaction also those made in it so far.
///
/// ```swift
/// let storage = EditScope()
/// anchor.edits.markSaved(in: storage)
/// print(anchor.edits.hasUnsaved(in: storage), anchor.edits.hasUnsaved(in: EditScope()))  // false true
/// ```
package struct EditScope: Sendable {
  /// From 1.
  let storage: Int
  /// The number of a transaction that is not kept yet.
  let transaction: Int?

  private static let lastNumber = Atomic(0)

  /// That of another storage.
  package init() {
    storage = Self.next()
    transaction = nil
  }

  /// That of another transaction of the same storage.
  package init(transactionOf scope: EditScope) {
    storage = scope.storage
    transaction = Self.next()
  }

  /// That of the storage, when this is a transaction's.
  var ofStorage: EditScope { EditScope(storage: storage) }

  /// The number that edits bear once they are written.
  var writer: Int { transaction ?? storage }

  func counts(_ writer: Int) -> Bool { writer == storage || writer == transaction }

  private init(storage: Int) {
    self.storage = storage
    transaction = nil
  }

  private static func next() -> Int {
    lastNumber.add(1, ordering: .relaxed).newValue
  }
}
