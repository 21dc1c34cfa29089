/// The key/value strings that a DNS-SD service carries (RFC 6763, section 6).
///
/// ```swift
/// let record = try TXTRecord([("v", Array("1".utf8))])
/// record.encoded  // [3, 0x76, 0x3D, 0x31]
/// ```
///
/// Keys are ASCII and compare without case. Of a repeated key the first counts, as the RFC says.
package struct TXTRecord: Hashable, Sendable {
  /// One string of the record; `value` is nil for a key without `=`.
  package struct Entry: Hashable, Sendable {
    package let key: String
    package let value: [UInt8]?
  }

  /// The strings that could be read, in their order, each key once.
  package let entries: [Entry]

  package static let empty = TXTRecord(entries: [])

  private init(entries: [Entry]) {
    self.entries = entries
  }

  /// Builds a record to send.
  ///
  /// - Throws: ``TXTError`` for a key that the RFC forbids or a record that is too long.
  package init(_ pairs: [(key: String, value: [UInt8]?)]) throws(TXTError) {
    var entries: [Entry] = []
    var total = 0
    for (key, value) in pairs {
      guard Self.isKey(key.utf8) else { throw .badKey(key) }
      guard !entries.contains(where: { Self.isSameKey($0.key, key) }) else {
        throw .repeatedKey(key)
      }
      let length = key.utf8.count + (value.map { $0.count + 1 } ?? 0)
      guard length <= NetLimits.txtStringBytes else {
        throw .tooLong(key: key, bytes: length, limit: NetLimits.txtStringBytes)
      }
      total += length + 1
      guard total <= NetLimits.txtBytes else {
        throw .tooLong(key: key, bytes: total, limit: NetLimits.txtBytes)
      }
      entries.append(Entry(key: key, value: value))
    }
    self.entries = entries
  }

  /// Reads a foreign record and never fails: what is no string with a proper key is left out, and a
  /// record that breaks off gives what came before.
  package init(reading bytes: [UInt8]) {
    var entries: [Entry] = []
    var rest = bytes[...]
    var strings = 0
    while let length = rest.popFirst(), rest.count >= length, strings < NetLimits.txtStrings {
      strings += 1
      let string = rest.prefix(Int(length))
      rest = rest.dropFirst(Int(length))
      let equals = string.firstIndex(of: UInt8(ascii: "="))
      let keyBytes = string[..<(equals ?? string.endIndex)]
      guard Self.isKey(keyBytes) else { continue }
      let key = String(decoding: keyBytes, as: UTF8.self)
      guard !entries.contains(where: { Self.isSameKey($0.key, key) }) else { continue }
      entries.append(Entry(key: key, value: equals.map { Array(string[($0 + 1)...]) }))
    }
    self.entries = entries
  }

  /// The bytes on the wire; an empty record is one empty string.
  package var encoded: [UInt8] {
    guard !entries.isEmpty else { return [0] }
    return entries.flatMap { entry in
      let string = Array(entry.key.utf8) + (entry.value.map { [UInt8(ascii: "=")] + $0 } ?? [])
      return [UInt8(string.count)] + string
    }
  }

  /// The bytes after the `=`; nil for a key that is absent or has no `=`.
  package subscript(key: String) -> [UInt8]? {
    entries.first { Self.isSameKey($0.key, key) }?.value
  }

  /// The value as text; nil for a key that is absent, has no `=`, or whose value is not UTF-8.
  package func text(_ key: String) -> String? {
    self[key].flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// Whether the key is there, with a value or without.
  package func contains(_ key: String) -> Bool {
    entries.contains { Self.isSameKey($0.key, key) }
  }

  /// Printable ASCII without `=`, at least one character.
  private static func isKey(_ bytes: some Collection<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
  }

  private static func isSameKey(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count
      && zip(left.utf8, right.utf8).allSatisfy { lowercased($0) == lowercased($1) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }
}

/// Why a TXT record could not be built.
package enum TXTError: Error, Hashable, Sendable, CustomStringConvertible {
  case badKey(String)
  case repeatedKey(String)
  case tooLong(key: String, bytes: Int, limit: Int)

  package var description: String {
    switch self {
    case .badKey(let key):
      "'\(key)' cannot be a TXT key; use printable ASCII without '=', at least one character"
    case .repeatedKey(let key):
      "the TXT key '\(key)' is given twice; keys do not differ by case"
    case .tooLong(let key, let bytes, let limit):
      "the TXT record is too long at '\(key)': \(bytes) bytes where \(limit) are allowed"
    }
  }
}
