import HyperbasisCore

extension JSON {
  /// Writes a value as one line of JSON without spaces, keys in the order of their bytes.
  ///
  /// ```swift
  /// JSON.write(.array([.double(3), .int(3), .string("a\"b")]))  // [3.0,3,"a\"b"]
  /// ```
  ///
  /// A double is the shortest decimal that gives it back and always has a point or an exponent, so
  /// `parse` returns an equal value. Only `"`, `\` and control characters are escaped.
  ///
  /// Precondition: no number is NaN or infinite.
  package static func write(_ value: Value) -> String {
    var text: [UInt8] = []
    append(value, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Writes a string with its quotes.
  package static func write(_ string: String) -> String {
    var text: [UInt8] = []
    append(string, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Writes the shortest decimal that gives the float back, such as `0.9870156` or `1.0`.
  ///
  /// Precondition: the number is neither NaN nor infinite.
  package static func write(_ float: Float) -> String {
    precondition(float.isFinite, "NaN and infinity have no JSON text")
    return float.description
  }

  /// The float nearest to a number; nil when the value is no number or exceeds the largest float.
  ///
  /// Gives back every float from its shortest decimal and from its decimal as a double. A double that
  /// is no float stands for its own shortest decimal and is rounded from that: rounding the double
  /// would turn `7.038531e-26`, the shortest decimal of a float, into the next one.
  package static func float(_ value: Value) -> Float? {
    let float: Float
    switch value {
    case .int(let int): float = Float(int)
    case .double(let double):
      let rounded = Float(double)
      float = Double(rounded) == double ? rounded : Float(double.description) ?? rounded
    default: return nil
    }
    return float.isFinite ? float : nil
  }

  private static func append(_ value: Value, to text: inout [UInt8]) {
    switch value {
    case .null: text += "null".utf8
    case .bool(let bool): text += (bool ? "true" : "false").utf8
    case .int(let int): text += int.description.utf8
    case .double(let double):
      precondition(double.isFinite, "NaN and infinity have no JSON text")
      text += double.description.utf8
    case .string(let string): append(string, to: &text)
    case .array(let elements):
      text.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        append(element, to: &text)
      }
      text.append(UInt8(ascii: "]"))
    case .object(let object):
      text.append(UInt8(ascii: "{"))
      for (index, entry) in object.entries.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        append(entry.key.text, to: &text)
        text.append(UInt8(ascii: ":"))
        append(entry.value, to: &text)
      }
      text.append(UInt8(ascii: "}"))
    }
  }

  private static func append(_ string: String, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""): text += "\\\"".utf8
      case UInt8(ascii: "\\"): text += "\\\\".utf8
      case 0x08: text += "\\b".utf8
      case 0x09: text += "\\t".utf8
      case 0x0A: text += "\\n".utf8
      case 0x0C: text += "\\f".utf8
      case 0x0D: text += "\\r".utf8
      case 0..<0x20: text += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
  }
}
