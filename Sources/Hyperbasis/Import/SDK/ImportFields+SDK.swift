import HyperbasisCore

/// The kinds of fields that the SDK's files have.
extension ImportFields {
  /// - Throws: `ImportError.item` when the field is missing or is no UUID.
  func required<Kind>(_ key: Key) throws(ImportError) -> Identifier<Kind> {
    guard let identifier: Identifier<Kind> = try identifier(key) else {
      throw .item(place(of: key), .missing)
    }
    return identifier
  }

  /// Nanoseconds since 1970; nil when the field is absent.
  func date(_ key: Key) throws(ImportError) -> Int64? {
    guard let text = try text(key) else { return nil }
    guard let date = SDKDate.nanoseconds(text) else {
      throw .item(
        place(of: key),
        .wrongKind(expected: "a date such as 2025-01-31T12:00:00Z", found: text.shown))
    }
    return date
  }

  /// - Throws: `ImportError.item` when the field is missing or is no date.
  func requiredDate(_ key: Key) throws(ImportError) -> Int64 {
    guard let date = try date(key) else { throw .item(place(of: key), .missing) }
    return date
  }

  func text(_ key: Key) throws(ImportError) -> String? {
    guard let value = self[key] else { return nil }
    guard case .string(let text) = value else {
      throw .item(place(of: key), .wrongKind(expected: "a string", found: value.kindName))
    }
    return text
  }

  func boolean(_ key: Key) throws(ImportError) -> Bool? {
    guard let value = self[key] else { return nil }
    guard case .bool(let bool) = value else {
      throw .item(place(of: key), .wrongKind(expected: "a boolean", found: value.kindName))
    }
    return bool
  }

  /// An object without the entries that are beyond the limits; `losses` names those.
  func metadata(
    _ key: Key, losses: inout [String]
  ) throws(ImportError) -> Value.Object? {
    guard let value = self[key] else { return nil }
    guard case .object(let metadata) = value else {
      throw .item(place(of: key), .wrongKind(expected: "an object", found: value.kindName))
    }
    var kept: [Value.Object.Entry] = []
    for entry in metadata.entries {
      do throws(ValueError) {
        try Value.check(entry.value, for: entry.key)
        kept.append(entry)
      } catch {
        losses.append("\(ImportError.item(place(of: key), .limit(error))); it is left out")
      }
    }
    // A file can have millions of entries: each taken out alone would move all those behind.
    return kept.count == metadata.entries.count ? metadata : Value.Object(kept)
  }
}
