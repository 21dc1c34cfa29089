extension Change {
  /// Bytes of ``encode(into:)``, counted without writing them.
  ///
  /// Complexity: O(n) in the operations and in what their values hold.
  package var encodedLength: Int {
    16 + ByteWriter.length(ofVarint: stamp.dot.sequence) + 8
      + ByteWriter.length(ofSigned: stamp.date &- stamp.timestamp.nanoseconds)
      + Change.encodedLength(of: operations)
  }

  /// Bytes of operations with the table of their anchors, and of the numbers of both.
  static func encodedLength(of operations: [Operation]) -> Int {
    // Most changes have one, and need no table.
    if operations.count == 1 {
      let anchors = operations[0].anchor == nil ? 1 : 1 + 16
      return anchors + 1 + operations[0].encodedLength(anchorIndex: 0)
    }
    var anchors = IdentifierTable<AnchorKind>()
    var length = 0
    for operation in operations {
      length += operation.encodedLength(
        anchorIndex: operation.anchor.map { anchors.index(of: $0) } ?? 0)
    }
    let count = anchors.identifiers.count
    return length + ByteWriter.length(ofVarint: UInt64(count)) + 16 * count
      + ByteWriter.length(ofVarint: UInt64(operations.count))
  }
}

extension Operation {
  /// Bytes of ``encode(into:anchorIndex:)``.
  fileprivate func encodedLength(anchorIndex: Int) -> Int {
    let index = ByteWriter.length(ofVarint: UInt64(anchorIndex))
    switch self {
    case .name(let name): return 1 + (name.map { ByteWriter.length(of: $0.text) } ?? 0)
    case .spaceExistence(let existence): return 1 + existence.encodedLength
    case .worldMap(let map):
      return 1 + (map.map { 32 + ByteWriter.length(ofVarint: $0.byteCount) } ?? 0)
    case .existence(_, let existence): return 1 + index + existence.encodedLength
    case .transform: return 1 + index + 64
    case .metadata(_, let key, let value):
      return 1 + index + ByteWriter.length(of: key.text) + (value?.encodedLength ?? 0)
    case .retention(.seconds(let seconds)): return 1 + ByteWriter.length(ofVarint: seconds)
    case .retention: return 1
    case .member(_, .kept(let dot)):
      return 1 + 16 + 16 + ByteWriter.length(ofVarint: dot.sequence)
    case .member: return 1 + 16
    }
  }
}

extension Existence {
  fileprivate var encodedLength: Int {
    ByteWriter.length(ofSigned: created)
      + ((deleted ?? restored).map { ByteWriter.length(ofSigned: $0) } ?? 0)
  }
}

extension Value {
  /// Bytes of ``encode(into:)``, counted without writing them.
  package var encodedLength: Int {
    switch self {
    case .null, .bool: return 1
    case .int(let int): return 1 + ByteWriter.length(ofSigned: int)
    case .double: return 9
    case .string(let string): return 1 + ByteWriter.length(of: string)
    case .array(let elements):
      return elements.reduce(1 + ByteWriter.length(ofVarint: UInt64(elements.count))) {
        $0 + $1.encodedLength
      }
    case .object(let object):
      let count = 1 + ByteWriter.length(ofVarint: UInt64(object.entries.count))
      return object.entries.reduce(count) {
        $0 + ByteWriter.length(of: $1.key.text) + $1.value.encodedLength
      }
    }
  }
}
