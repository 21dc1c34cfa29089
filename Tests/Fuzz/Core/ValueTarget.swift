import Hyperbasis
import HyperbasisCore

/// Values: what is read is written as the same bytes, is within the limits and has a JSON text.
enum ValueTarget: FuzzTarget {
  static let name = "value"

  static func seeds() -> [[UInt8]] {
    Samples.values.map { value in
      var writer = ByteWriter()
      value.encode(into: &writer)
      return writer.bytes
    }
  }

  static func run(_ bytes: [UInt8]) throws {
    var reader = ByteReader(bytes)
    guard let value = try? Value(from: &reader) else { return }
    var writer = ByteWriter()
    value.encode(into: &writer)
    try expect(writer.bytes.elementsEqual(bytes[..<reader.offset]), "a value has one encoding")
    try Value.check(value, for: "key")
    let text = Array(JSON.write(value).utf8)
    try expect(try JSON.parse(text) == value, "the JSON text of a value gives it back")
  }
}
