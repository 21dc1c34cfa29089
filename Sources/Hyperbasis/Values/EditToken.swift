import HyperbasisCore
import Synchronization

/// The identity of one edit of a value, and whether a storage has written it.
///
/// Copies of a value share the tokens of the edits that they have in common. When one copy is
/// saved, no other copy writes the same edits again; an edit made later, in any copy, has a token
/// of its own.
package final class EditToken: Sendable {
  private let flag: Atomic<Bool>

  /// What a value that came out of a storage begins with.
  package static let saved = EditToken(isSaved: true)

  package init(isSaved: Bool = false) {
    flag = Atomic(isSaved)
  }

  package var isSaved: Bool { flag.load(ordering: .acquiring) }

  package func markSaved() {
    flag.store(true, ordering: .releasing)
  }
}

extension EditToken? {
  /// Whether there is an edit that no storage has written.
  package var isUnsaved: Bool { self.map { !$0.isSaved } ?? false }
}

/// What was edited in an ``HBAnchor`` since a storage wrote or handed it out.
///
/// ```swift
/// var anchor = try await storage.loadAnchor(id: id)!
/// anchor.metadata["text"] = "Buy oat milk"
/// print(anchor.edits.unsavedKeys.map(\.text), anchor.edits.transform.isUnsaved)  // ["text"] false
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

  package init(initial: EditToken = EditToken()) {
    self.initial = initial
  }

  /// No storage has written or handed out the value; all of it is to be written.
  package var isFresh: Bool { !initial.isSaved }

  /// Keys added, removed or changed and not yet written, in ascending byte order. O(n log n).
  package var unsavedKeys: [Key] {
    metadata.filter { !$0.value.isSaved }.keys.sorted()
  }

  /// The last edit of `key`, written or not.
  package func token(for key: Key) -> EditToken? { metadata[key] }

  package var hasUnsaved: Bool {
    isFresh || transform.isUnsaved || existence.isUnsaved
      || metadata.values.contains { !$0.isSaved }
  }

  /// Marks every edit that this copy holds as written, for all copies that share it.
  ///
  /// To be called on the copy that was written, since an app may edit its own meanwhile.
  package func markSaved() {
    initial.markSaved()
    transform?.markSaved()
    existence?.markSaved()
    for token in metadata.values { token.markSaved() }
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

/// What was edited in an ``HBSpace`` since a storage wrote or handed it out; see ``ValueEdits``.
package struct SpaceEdits: Sendable {
  /// Unsaved in a value that an app made: then all of it is to be written.
  package var initial: EditToken
  package var name: EditToken?
  package var worldMap: EditToken?

  package init(initial: EditToken = EditToken()) {
    self.initial = initial
  }

  package var isFresh: Bool { !initial.isSaved }

  package var hasUnsaved: Bool { isFresh || name.isUnsaved || worldMap.isUnsaved }

  /// Marks every edit that this copy holds as written, for all copies that share it.
  package func markSaved() {
    initial.markSaved()
    name?.markSaved()
    worldMap?.markSaved()
  }
}

extension SpaceEdits: Hashable {
  package static func == (left: Self, right: Self) -> Bool { true }
  package func hash(into hasher: inout Hasher) {}
}
