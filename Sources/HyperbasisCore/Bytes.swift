/// Why bytes are not what they should be; offsets count from the first byte of the message.
package enum CodecError: Error, Equatable {
  case truncated(offset: Int)
  case trailing(offset: Int)
  /// A kind that this version does not know, perhaps written by a newer one.
  case unknownKind(of: StaticText, kind: UInt8, offset: Int)
  case invalid(StaticText, offset: Int)
  case limit(StaticText, value: UInt64, most: Int, offset: Int)

  /// A literal in the program, never input.
  package struct StaticText: Equatable, Sendable, ExpressibleByStringLiteral {
    package let text: String
    package init(stringLiteral text: String) { self.text = text }
  }
}

extension CodecError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .truncated(let offset): "the message ends early, at byte \(offset)"
    case .trailing(let offset): "the message has bytes beyond its end, at byte \(offset)"
    case .unknownKind(let what, let kind, let offset):
      "unknown \(what.text) kind \(kind) at byte \(offset); the writer may be newer"
    case .invalid(let what, let offset): "bad \(what.text) at byte \(offset)"
    case .limit(let what, let value, let most, let offset):
      "\(what.text) \(value) exceeds the limit of \(most), at byte \(offset)"
    }
  }
}

/// Appends fixed-order little-endian numbers, varints and texts to a byte array.
package struct ByteWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// With room for so many bytes.
  package init(capacity: Int) {
    bytes.reserveCapacity(capacity)
  }

  /// Makes room for so many bytes more; still doubles where it grows step by step.
  package mutating func reserve(_ count: Int) {
    if bytes.capacity < bytes.count + count {
      bytes.reserveCapacity(max(bytes.count + count, 2 * bytes.capacity))
    }
  }

  /// Puts a number in the place of bytes that were written before.
  package mutating func replace(at offset: Int, with number: UInt32) {
    for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
  }

  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  package mutating func byte(_ byte: UInt8) {
    bytes.append(byte)
  }

  package mutating func raw(_ raw: some Collection<UInt8>) {
    bytes.append(contentsOf: raw)
  }

  package mutating func fixed<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// The numbers one after another, each little-endian.
  package mutating func fixed(_ numbers: SIMD16<Float>) {
    var bits = unsafeBitCast(numbers, to: SIMD16<UInt32>.self)
    for index in 0..<16 { bits[index] = bits[index].littleEndian }
    withUnsafeBytes(of: bits) { bytes.append(contentsOf: $0) }
  }

  /// Identifiers are written most significant byte first, as in their text.
  package mutating func identifier<Kind>(_ identifier: Identifier<Kind>) {
    withUnsafeBytes(of: identifier.bits.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Unsigned LEB128 in its shortest form: 7 bits a byte, low bits first.
  package mutating func varint(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  package mutating func varint(_ number: Int) {
    varint(UInt64(number))
  }

  /// Bytes of a varint.
  package static func length(ofVarint number: UInt64) -> Int {
    max(1, (UInt64.bitWidth - number.leadingZeroBitCount + 6) / 7)
  }

  /// Bytes of a ``signed(_:)`` number.
  package static func length(ofSigned number: Int64) -> Int {
    length(ofVarint: UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  /// Bytes of a ``text(_:)`` with its length.
  package static func length(of text: String) -> Int {
    let bytes = text.utf8.count
    return length(ofVarint: UInt64(bytes)) + bytes
  }

  /// Zigzag, so that small negative numbers are short as well.
  package mutating func signed(_ number: Int64) {
    varint(UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  package mutating func text(_ text: String) {
    varint(text.utf8.count)
    text.withBytes { bytes.append(contentsOf: $0) }
  }
}

/// Reads what ``ByteWriter`` writes and refuses everything else; never reads past the end.
package struct ByteReader {
  private let bytes: [UInt8]
  private let start: Int
  private var position: Int
  private let end: Int

  package init(_ bytes: [UInt8]) {
    self.init(bytes, in: bytes.indices)
  }

  /// Reads a message that lies among other bytes.
  ///
  /// Precondition: the range is one of theirs.
  package init(_ bytes: [UInt8], in range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "a range of the bytes")
    self.bytes = bytes
    start = range.lowerBound
    position = start
    end = range.upperBound
  }

  /// Counted from the first byte of the message.
  package var offset: Int { position - start }

  package var remaining: Int { end - position }

  /// - Throws: `CodecError.trailing` when bytes are left.
  package func finish() throws(CodecError) {
    guard remaining == 0 else { throw .trailing(offset: offset) }
  }

  package mutating func byte() throws(CodecError) -> UInt8 {
    guard position < end else { throw .truncated(offset: offset) }
    position += 1
    return bytes[position - 1]
  }

  package mutating func raw(_ count: Int) throws(CodecError) -> ArraySlice<UInt8> {
    guard count <= remaining else { throw .truncated(offset: end - start) }
    position += count
    return bytes[position - count..<position]
  }

  /// A reader of the next bytes, which are then behind this one; its offsets count from their first.
  mutating func part(_ count: Int) throws(CodecError) -> ByteReader {
    guard count <= remaining else { throw .truncated(offset: end - start) }
    position += count
    return ByteReader(bytes, in: position - count..<position)
  }

  package mutating func fixed<Number: FixedWidthInteger>(
    _ type: Number.Type
  ) throws(CodecError) -> Number {
    let size = MemoryLayout<Number>.size
    guard size <= remaining else { throw .truncated(offset: end - start) }
    position += size
    return bytes.withUnsafeBytes {
      Number(littleEndian: $0.loadUnaligned(fromByteOffset: position - size, as: Number.self))
    }
  }

  package mutating func identifier<Kind>() throws(CodecError) -> Identifier<Kind> {
    Identifier(try fixed(UInt128.self).byteSwapped)
  }

  package mutating func varint() throws(CodecError) -> UInt64 {
    let start = offset
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      let next = try byte()
      let part = UInt64(next & 0x7F)
      if shift == 63 && part > 1 { throw .invalid("varint", offset: start) }
      number |= part << shift
      if next & 0x80 == 0 {
        if part == 0 && shift > 0 { throw .invalid("varint", offset: start) }
        return number
      }
    }
    throw .invalid("varint", offset: start)
  }

  /// A count of items of at least `itemBytes` bytes each, so that it cannot exceed what is left.
  package mutating func count(
    of what: CodecError.StaticText, most: Int, itemBytes: Int = 1
  ) throws(CodecError) -> Int {
    let start = offset
    let number = try varint()
    guard number <= most else {
      throw .limit(what, value: number, most: most, offset: start)
    }
    guard Int(number) * itemBytes <= remaining else { throw .truncated(offset: end - start) }
    return Int(number)
  }

  package mutating func signed() throws(CodecError) -> Int64 {
    let number = try varint()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  package mutating func text(
    _ what: CodecError.StaticText, most: Int
  ) throws(CodecError) -> String {
    let length = try count(of: what, most: most)
    // Most texts are ASCII, and need no validation: that looks up types at run time, and took half
    // of the time of a short text.
    let text = bytes.withUnsafeBufferPointer { all in
      let text = UnsafeBufferPointer(rebasing: all[position..<position + length])
      return text.allSatisfy { $0 < 0x80 }
        ? String(decoding: text, as: UTF8.self) : String(validating: text, as: UTF8.self)
    }
    guard let text else { throw .invalid(what, offset: offset) }
    position += length
    return text
  }
}
