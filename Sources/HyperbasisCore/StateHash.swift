// What the digest is made of. Every part says where it ends, so that no two values have the same words.

extension Key {
  var stateHash: UInt64 {
    var hash = WordHash(seed: 1)
    hash.combine(text)
    return hash.value
  }
}

extension Transform {
  func hash(into hash: inout WordHash) {
    let words = unsafeBitCast(elements, to: SIMD16<UInt32>.self)
    hash.combine(2)
    for index in stride(from: 0, to: 16, by: 4) {
      hash.combine(
        UInt64(words[index]) << 32 | UInt64(words[index + 1]),
        UInt64(words[index + 2]) << 32 | UInt64(words[index + 3]))
    }
  }
}

extension Existence {
  func hash(into hash: inout WordHash) {
    hash.combine(UInt64(bitPattern: created), deleted != nil ? 4 : restored != nil ? 5 : 6)
    if let date = deleted ?? restored { hash.combine(UInt64(bitPattern: date)) }
  }
}

extension Value {
  func hash(into hash: inout WordHash) {
    switch self {
    case .null: hash.combine(10)
    case .bool(let bool): hash.combine(11, bool ? 1 : 0)
    case .int(let number): hash.combine(12, UInt64(bitPattern: number))
    case .double(let number): hash.combine(13, number.bitPattern)
    case .string(let text):
      hash.combine(14)
      hash.combine(text)
    case .array(let values):
      hash.combine(15, UInt64(values.count))
      for value in values { value.hash(into: &hash) }
    case .object(let object):
      hash.combine(16, UInt64(object.entries.count))
      for entry in object.entries {
        hash.combine(entry.key.text)
        entry.value.hash(into: &hash)
      }
    }
  }
}

extension Operation {
  /// Of the space itself: by its encoding, as these are few.
  func hash(into hash: inout WordHash) {
    var writer = ByteWriter()
    encode(into: &writer, anchorIndex: 0)
    hash.combine(Digest(of: writer.bytes).bits)
  }
}
