import HyperbasisCore

/// What was edited in an ``HBAnchor`` since a storage wrote or handed it out.
///
/// ```swift
/// var anchor = try await storage.loadAnchor(id: id)!
/// anchor.metadata["text"] = "Buy oat milk"
/// print(anchor.edits.unsavedKeys(in: storage.scope).map(\.text))  // ["text"]
/// ```
///
/// It is no part of the value's meaning: all edits are equal, and none are encoded.
package struct ValueEdits: Sendable {
  /// Unsaved in a value that an app made: then all of it is to be written.
  package var initial: EditToken
  package var transform: EditToken?
  /// Deleted or restored.
  package var existence: EditToken?
  /// One token for each key that was added, removed or changed.
  package var metadata: [Key: EditToken] = [:]
  /// When the value was built, decoded or handed out; copies have that of the first.
  package let made = EditMoment.next()

  package init(initial: EditToken = EditToken()) {
    self.initial = initial
  }

  /// Those of a value that is handed out: none.
  init(handedOutBy scope: EditScope) {
    self.init(initial: EditToken(writtenIn: scope))
  }

  /// The storage has not written or handed out the value; all of it is to be written.
  package func isFresh(in scope: EditScope) -> Bool { !initial.isWritten(in: scope) }

  /// Keys added, removed or changed and not yet written, in ascending byte order. O(n log n).
  package func unsavedKeys(in scope: EditScope) -> [Key] {
    metadata.filter { !$0.value.isWritten(in: scope) }.keys.sorted()
  }

  /// The last edit of `key`, written or not.
  package func token(for key: Key) -> EditToken? { metadata[key] }

  package func hasUnsaved(in scope: EditScope) -> Bool {
    tokens.contains { !$0.isWritten(in: scope) }
  }

  /// Marks every edit that this copy holds as written, for all copies that share it.
  ///
  /// To be called on the copy that was written, since an app may edit its own meanwhile.
  package func markSaved(in scope: EditScope) {
    for token in tokens { token.markWritten(in: scope) }
  }

  package var tokens: [EditToken] {
    [initial] + [transform, existence].compactMap { $0 } + metadata.values
  }

  /// Takes in which edits of a value that was saved wrote these; of one built afresh, its making.
  mutating func note(_ written: [Operation], of value: ValueEdits) {
    for operation in written {
      switch operation {
      case .transform: transform = value.transform ?? value.initial
      case .existence: existence = value.existence ?? value.initial
      case .metadata(_, let key, _): metadata[key] = value.metadata[key] ?? value.initial
      case .name, .spaceExistence, .worldMap, .retention, .member: break
      }
    }
  }

  /// Takes the edits of fields that another has.
  mutating func share(_ other: ValueEdits) {
    (transform, existence, metadata) = (other.transform, other.existence, other.metadata)
  }

  /// Notes the keys whose values differ bit for bit, or byte for byte. O(n) in both dictionaries.
  mutating func note(
    _ old: [String: AnyCodableValue], became new: [String: AnyCodableValue]
  ) {
    for (key, value) in old {
      guard let same = new.exactValue(for: key), same.isIdentical(to: value) else {
        metadata[Key(key)] = EditToken()
        continue
      }
    }
    for key in new.keys where old.exactValue(for: key) == nil {
      metadata[Key(key)] = EditToken()
    }
  }
}

extension ValueEdits: Hashable {
  package static func == (left: Self, right: Self) -> Bool { true }
  package func hash(into hasher: inout Hasher) {}
}
