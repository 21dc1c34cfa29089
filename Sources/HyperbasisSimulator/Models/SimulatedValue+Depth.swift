import HyperbasisCore

extension SimulatedValue {
  /// Whether it has more levels than can be saved. It goes level by level, so any depth may come.
  var isTooDeep: Bool {
    var level = [self]
    for _ in 0..<Limits.valueDepth where !level.isEmpty { level = level.flatMap(\.parts) }
    return level.contains { $0.arrayValue != nil || $0.dictionaryValue != nil }
  }

  /// Elements of a list or values of a dictionary.
  fileprivate var parts: [SimulatedValue] {
    switch self {
    case .array(let elements): elements
    case .dictionary(let metadata): metadata.entries.map(\.value)
    default: []
    }
  }
}

extension SimulatedSpace {
  /// Removes all anchors, piece by piece: to drop a value at once takes as much stack as it is deep.
  mutating func takeApart() {
    var rest: [SimulatedValue] = []
    for name in anchors.map(\.name) {
      rest += self[name]?.metadata.entries.map(\.value) ?? []
      self[name] = nil
    }
    while let value = rest.popLast() { rest += value.parts }
  }
}
