import HyperbasisCore

/// Some of the chunks of one map, by index: a bit for each.
package struct ChunkSet: Equatable, Sendable {
  /// Chunk 0 is the lowest bit of the first word; no word of zeros at the end.
  private var words: [UInt64] = []

  package init() {}

  package init(_ chunks: some Sequence<Int>) {
    for chunk in chunks { insert(chunk) }
  }

  /// All of the chunks below `end`.
  package static func all(_ end: Int) -> ChunkSet {
    ChunkSet(0..<end)
  }

  package var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }
  package var isEmpty: Bool { words.isEmpty }

  package func contains(_ chunk: Int) -> Bool {
    chunk / 64 < words.count && words[chunk / 64] >> UInt64(chunk % 64) & 1 == 1
  }

  package mutating func insert(_ chunk: Int) {
    while chunk / 64 >= words.count { words.append(0) }
    words[chunk / 64] |= 1 << UInt64(chunk % 64)
  }

  package mutating func remove(_ chunk: Int) {
    guard chunk / 64 < words.count else { return }
    words[chunk / 64] &= ~(1 << UInt64(chunk % 64))
    while words.last == 0 { words.removeLast() }
  }

  package mutating func formUnion(_ other: ChunkSet) {
    while words.count < other.words.count { words.append(0) }
    for (index, word) in other.words.enumerated() { words[index] |= word }
  }

  package func subtracting(_ other: ChunkSet) -> ChunkSet {
    combined(with: other) { $0 & ~$1 }
  }

  package func intersection(_ other: ChunkSet) -> ChunkSet {
    combined(with: other) { $0 & $1 }
  }

  /// The first of them that is not below `start`, or else the first.
  package func first(from start: Int) -> Int? {
    first(notBelow: start) ?? first(notBelow: 0)
  }

  private func first(notBelow start: Int) -> Int? {
    var index = start / 64
    var mask = UInt64.max << UInt64(start % 64)
    while index < words.count {
      let word = words[index] & mask
      if word != 0 { return index * 64 + word.trailingZeroBitCount }
      index += 1
      mask = .max
    }
    return nil
  }

  private func combined(
    with other: ChunkSet, _ operation: (UInt64, UInt64) -> UInt64
  ) -> ChunkSet {
    var result = ChunkSet()
    result.words = words.enumerated().map { index, word in
      operation(word, index < other.words.count ? other.words[index] : 0)
    }
    while result.words.last == 0 { result.words.removeLast() }
    return result
  }
}

extension ChunkSet {
  /// A count of bytes, then the bytes: chunk 0 is the lowest bit of the first one.
  package func encode(into writer: inout ByteWriter) {
    var bytes = words.flatMap { word in
      stride(from: UInt64(0), to: 64, by: 8).map { UInt8(truncatingIfNeeded: word >> $0) }
    }
    while bytes.last == 0 { bytes.removeLast() }
    writer.varint(bytes.count)
    writer.raw(bytes)
  }

  /// - Throws: `CodecError` for more chunks than a map may have, or a last byte of zero.
  package init(from reader: inout ByteReader) throws(CodecError) {
    let count = try reader.count(of: "chunks of a map", most: Limits.mapChunks / 8)
    let start = reader.offset
    let bytes = try reader.raw(count)
    guard bytes.last != 0 else { throw .invalid("chunks of a map", offset: start) }
    words = Array(repeating: 0, count: (count + 7) / 8)
    for (index, byte) in bytes.enumerated() {
      words[index / 8] |= UInt64(byte) << UInt64(index % 8 * 8)
    }
  }
}
