import HyperbasisCore

/// The engine's metadata value; within the public types, `Value` is what their literals are made of.
typealias EngineValue = Value

/// A text that is compared by its bytes.
typealias EngineKey = Key

extension SimulatedValue {
  init(_ value: EngineValue) {
    self =
      switch value {
      case .null: .null
      case .bool(let bool): .bool(bool)
      case .int(let int): .int(Int(int))
      case .double(let double): .double(double)
      case .string(let string): .string(string)
      case .array(let elements): .array(elements.map(SimulatedValue.init))
      case .object(let object): .dictionary(SimulatedMetadata(object))
      }
  }

  var engineValue: EngineValue {
    switch self {
    case .null: .null
    case .bool(let bool): .bool(bool)
    case .int(let int): .int(Int64(int))
    case .double(let double): .double(double)
    case .string(let string): .string(string)
    case .array(let elements): .array(elements.map(\.engineValue))
    case .dictionary(let metadata): .object(metadata.engineObject)
    }
  }
}

extension SimulatedMetadata {
  init(_ object: EngineValue.Object) {
    self.init(
      sorted: object.entries.map { Entry(key: $0.key, value: SimulatedValue($0.value)) })
  }

  /// What ascends strictly makes an object.
  var engineObject: EngineValue.Object {
    EngineValue.Object(
      entries.map { EngineValue.Object.Entry(key: $0.key, value: $0.value.engineValue) })!
  }
}
