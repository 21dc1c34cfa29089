import HyperbasisCore

/// One JSON object of an import, read field by field with errors that name the place.
struct ImportFields {
  let place: String
  let object: Value.Object
  /// What stands before a key in its place.
  private let prefix: String

  /// - Throws: `ImportError.item` when the value is not an object.
  init(_ value: Value, at place: String) throws(ImportError) {
    guard case .object(let object) = value else {
      throw .item(place, .wrongKind(expected: "an object", found: value.kindName))
    }
    self.init(object, at: place, prefix: place + ".")
  }

  init(_ object: Value.Object, at place: String, prefix: String) {
    self.place = place
    self.object = object
    self.prefix = prefix
  }

  /// The value of a key; null counts as absent.
  subscript(key: Key) -> Value? {
    object[key] == .null ? nil : object[key]
  }

  func place(of key: Key) -> String {
    prefix + key.text
  }

  func array(_ key: Key) throws(ImportError) -> [Value]? {
    guard let value = self[key] else { return nil }
    guard case .array(let elements) = value else {
      throw .item(place(of: key), .wrongKind(expected: "an array", found: value.kindName))
    }
    return elements
  }

  func identifier<Kind>(_ key: Key) throws(ImportError) -> Identifier<Kind>? {
    guard let value = self[key] else { return nil }
    guard case .string(let text) = value else {
      throw .item(place(of: key), .wrongKind(expected: "a UUID string", found: value.kindName))
    }
    guard let identifier = Identifier<Kind>(text: text) else {
      throw .item(place(of: key), .badUUID(text))
    }
    return identifier
  }

  func floats(_ key: Key, count: Int) throws(ImportError) -> [Float]? {
    guard let value = self[key] else { return nil }
    return try Self.floats(value, count: count, at: place(of: key))
  }

  /// - Throws: `ImportError.item` unless the value is an array of `count` numbers that fit a float.
  static func floats(_ value: Value, count: Int, at place: String) throws(ImportError) -> [Float] {
    guard case .array(let elements) = value else {
      throw .item(
        place, .wrongKind(expected: "an array of \(count) numbers", found: value.kindName))
    }
    guard elements.count == count else {
      throw .item(place, .count(elements.count, expected: count))
    }
    var floats: [Float] = []
    floats.reserveCapacity(count)
    for (index, element) in elements.enumerated() {
      guard let float = JSON.float(element) else {
        switch element {
        case .int, .double: throw .item("\(place)[\(index)]", .notFloat)
        default:
          throw .item(
            "\(place)[\(index)]", .wrongKind(expected: "a number", found: element.kindName))
        }
      }
      floats.append(float)
    }
    return floats
  }

  func transform(_ key: Key) throws(ImportError) -> Transform? {
    guard let floats = try floats(key, count: 16) else { return nil }
    do throws(TransformError) {
      return try Transform(floats)
    } catch {
      preconditionFailure("16 finite numbers are no transform: \(error)")
    }
  }
}
