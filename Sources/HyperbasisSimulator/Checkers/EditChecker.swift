import HyperbasisCore

/// An edit does what it was asked for, to the bit, and writes nothing where nothing changes.
///
/// The engine leaves out what alters nothing; whether it does is judged here by an equality of its
/// own, so that 3 is not 3.0, nor "\u{E9}" an "e" with an accent.
struct EditChecker {
  private let asked: [Operation]
  /// Whether a register held something else.
  private let isEffective: Bool

  init(asked: [Operation], on state: SpaceState) {
    self.asked = asked
    isEffective = asked.contains { !EditChecker.holds($0, state) }
  }

  /// What is wrong with the change that was made, nil when none was, and with the state after it.
  func fault(of change: Change?, in state: SpaceState) -> String? {
    if change == nil && isEffective { return "writes to \(registers) were taken for no change" }
    if change != nil && !isEffective { return "writes to \(registers) were taken for a change" }
    for operation in asked where !EditChecker.holds(operation, state) {
      return "what was asked of \(operation.register) is not held"
    }
    return nil
  }

  private var registers: [Register] { asked.map(\.register) }

  /// A key that was never written is as good as removed.
  private static func holds(_ operation: Operation, _ state: SpaceState) -> Bool {
    guard let cell = state.cell(operation.register) else {
      if case .metadata(_, _, nil) = operation { return true }
      return false
    }
    return exact(cell.operation) == exact(operation)
  }

  private static func exact(_ operation: Operation) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(80)
    switch operation {
    case .name(let name):
      bytes.append(name == nil ? 0 : 1)
      if let name { bytes.append(contentsOf: name.text.utf8) }
    case .spaceExistence(let existence): put(existence, into: &bytes)
    case .worldMap(let map):
      if let map {
        bytes += map.manifest.bytes
        put(map.byteCount, into: &bytes)
      }
    case .existence(_, let existence): put(existence, into: &bytes)
    case .transform(_, let transform):
      for number in transform.numbers { put(UInt64(number.bitPattern), into: &bytes) }
    case .metadata(_, let key, let value):
      put(key.text, into: &bytes)
      bytes.append(value == nil ? 0 : 1)
      if let value { put(value, into: &bytes) }
    case .retention(let retention): bytes += Array("\(retention)".utf8)
    case .member(let replica, let membership):
      put(UInt64(truncatingIfNeeded: replica.bits), into: &bytes)
      bytes += Array("\(membership)".utf8)
    }
    return bytes
  }

  private static func put(_ value: Value, into bytes: inout [UInt8]) {
    switch value {
    case .null: bytes.append(0)
    case .bool(let bool): bytes.append(bool ? 2 : 1)
    case .int(let int):
      bytes.append(3)
      put(UInt64(bitPattern: int), into: &bytes)
    case .double(let double):
      bytes.append(4)
      put(double.bitPattern, into: &bytes)
    case .string(let string):
      bytes.append(5)
      put(string, into: &bytes)
    case .array(let elements):
      bytes.append(6)
      put(UInt64(elements.count), into: &bytes)
      for element in elements { put(element, into: &bytes) }
    case .object(let object):
      bytes.append(7)
      put(UInt64(object.entries.count), into: &bytes)
      for entry in object.entries {
        put(entry.key.text, into: &bytes)
        put(entry.value, into: &bytes)
      }
    }
  }

  private static func put(_ existence: Existence, into bytes: inout [UInt8]) {
    for date in [existence.created, existence.deleted, existence.restored] {
      bytes.append(date == nil ? 0 : 1)
      if let date { put(UInt64(bitPattern: date), into: &bytes) }
    }
  }

  private static func put(_ text: String, into bytes: inout [UInt8]) {
    put(UInt64(text.utf8.count), into: &bytes)
    bytes.append(contentsOf: text.utf8)
  }

  private static func put(_ word: UInt64, into bytes: inout [UInt8]) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: word >> shift))
    }
  }
}
