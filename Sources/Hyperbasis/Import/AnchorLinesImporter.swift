import HyperbasisCore

/// Reads anchors from lines as ``AnchorLines`` writes them, or as a person writes them by hand.
///
/// ```swift
/// let line = #"{"id":"f81d4fae-7dec-11d0-a765-00a0c91e6bf6","position":[0,1,-2]}"#
/// let drafts = try AnchorLinesImporter.drafts(of: Array(line.utf8))
/// ```
///
/// `id` is required, and `transform` or `position`: a position alone means no turn. `metadata` is
/// optional. An anchor with `deleted` other than null is a deleted one. `space`, `created` and
/// `updated` are of the store that wrote the line and are checked but not imported. The drafts own
/// no keys: what the file says is set, and nothing is removed.
package enum AnchorLinesImporter {
  /// Every key that a line can have.
  private static let knownKeys: [Key] = [
    "id", "space", "position", "transform", "metadata", "created", "updated", "deleted",
  ]

  /// Whether an object has what a line needs.
  static func recognises(_ object: Value.Object) -> Bool {
    object["id"] != nil && (object["transform"] != nil || object["position"] != nil)
  }

  /// Complexity: O(n) in the bytes.
  ///
  /// - Throws: `ImportError` that names the line and the key.
  package static func drafts(of bytes: [UInt8]) throws(ImportError) -> [AnchorDraft] {
    var drafts: [AnchorDraft] = []
    var numbers: [AnchorID: Int] = [:]
    var lines = JSONLines(bytes)
    while let line = try next(of: &lines) {
      guard drafts.count < InputLimits.items else { throw .tooManyItems }
      let place = "line \(line.number)"
      let fields = ImportFields(line.object, at: place, prefix: place + ": ")
      let draft = try draft(of: fields)
      if let first = numbers.updateValue(line.number, forKey: draft.id) {
        throw .item(fields.place(of: "id"), .repeatedIdentifier(draft.id, first: "line \(first)"))
      }
      drafts.append(draft)
    }
    return drafts
  }

  private static func next(
    of lines: inout JSONLines
  ) throws(ImportError) -> (number: Int, object: Value.Object)? {
    do throws(JSONError) {
      return try lines.next()
    } catch {
      throw .json(error)
    }
  }

  private static func draft(of fields: ImportFields) throws(ImportError) -> AnchorDraft {
    for entry in fields.object.entries where !knownKeys.contains(entry.key) {
      throw .item("\(fields.place): \(entry.key.shown)", .unknownKey)
    }
    guard let id: AnchorID = try fields.identifier("id") else {
      throw .item(fields.place(of: "id"), .missing)
    }
    let _: SpaceID? = try fields.identifier("space")
    for key in ["created", "updated"] as [Key] { _ = try milliseconds(key, of: fields) }
    let transform = try transform(of: fields)
    let metadata = try metadata(of: fields)
    let isDeleted = try milliseconds("deleted", of: fields) != nil
    do throws(ValueError) {
      return try AnchorDraft(
        id: id, transform: transform, metadata: metadata, isDeleted: isDeleted)
    } catch {
      throw .item(fields.place, .limit(error))
    }
  }

  private static func transform(of fields: ImportFields) throws(ImportError) -> Transform {
    let transform = try fields.transform("transform")
    let position = try fields.floats("position", count: 3)
    switch (transform, position) {
    case (nil, nil):
      throw .item(fields.place, .noPlace)
    case (let transform?, nil):
      return transform
    case (let transform?, let position?):
      let found = transform.position
      guard position == [found.x, found.y, found.z] else {
        throw .item(fields.place(of: "position"), .placesDiffer)
      }
      return transform
    case (nil, let position?):
      do throws(TransformError) {
        return try Transform.identity.moved(to: (position[0], position[1], position[2]))
      } catch {
        preconditionFailure("a finite position is refused: \(error)")
      }
    }
  }

  private static func metadata(of fields: ImportFields) throws(ImportError) -> Value.Object {
    guard let value = fields["metadata"] else { return Value.Object() }
    guard case .object(let metadata) = value else {
      throw .item(
        fields.place(of: "metadata"), .wrongKind(expected: "an object", found: value.kindName))
    }
    return metadata
  }

  private static func milliseconds(
    _ key: Key, of fields: ImportFields
  ) throws(ImportError) -> Int64? {
    guard let value = fields[key] else { return nil }
    guard case .int(let milliseconds) = value else {
      throw .item(
        fields.place(of: key),
        .wrongKind(expected: "an integer of milliseconds", found: value.kindName))
    }
    return milliseconds
  }
}
