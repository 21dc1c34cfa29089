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
    switch operation {
    case .name(let name): name.map { [1] + Array($0.text.utf8) } ?? [0]
    case .spaceExistence(let existence): exact(existence)
    case .worldMap(let map): map.map { $0.manifest.bytes + exact($0.byteCount) } ?? []
    case .existence(_, let existence): exact(existence)
    case .transform(_, let transform):
      transform.numbers.flatMap { exact(UInt64($0.bitPattern)) }
    case .metadata(_, let key, let value):
      exact(key.text) + (value.map { [1] + exact($0) } ?? [0])
    }
  }

  private static func exact(_ value: Value) -> [UInt8] {
    switch value {
    case .null: [0]
    case .bool(let bool): [bool ? 2 : 1]
    case .int(let int): [3] + exact(UInt64(bitPattern: int))
    case .double(let double): [4] + exact(double.bitPattern)
    case .string(let string): [5] + exact(string)
    case .array(let elements): [6] + exact(UInt64(elements.count)) + elements.flatMap(exact)
    case .object(let object):
      [7] + exact(UInt64(object.entries.count))
        + object.entries.flatMap { exact($0.key.text) + exact($0.value) }
    }
  }

  private static func exact(_ existence: Existence) -> [UInt8] {
    [existence.created, existence.deleted, existence.restored].flatMap { date in
      date.map { [1] + exact(UInt64(bitPattern: $0)) } ?? [0]
    }
  }

  private static func exact(_ text: String) -> [UInt8] {
    exact(UInt64(text.utf8.count)) + Array(text.utf8)
  }

  private static func exact(_ word: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
  }
}
