import HyperbasisCore
import Testing

/// Checks a codec whole: round trip, every prefix, every flipped bit, every inserted byte.
///
/// A damaged message must be refused or read as another value that encodes and decodes again; it
/// must never trap.
struct CodecVerifier<Item: Equatable & Sendable>: Sendable {
  let encode: @Sendable (Item, inout ByteWriter) -> Void
  let decode: @Sendable (inout ByteReader) throws -> Item

  func verify(_ item: Item, sourceLocation: SourceLocation = #_sourceLocation) {
    let bytes = encoded(item)
    #expect((try? decoded(bytes)) == item, sourceLocation: sourceLocation)
    for length in 0..<bytes.count {
      #expect(throws: CodecError.self, "prefix of \(length)", sourceLocation: sourceLocation) {
        try decoded(Array(bytes.prefix(length)))
      }
    }
    #expect(throws: CodecError.self, "trailing byte", sourceLocation: sourceLocation) {
      try decoded(bytes + [0])
    }
    for position in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[position] ^= 1 << bit
        expectSound(damaged, sourceLocation)
      }
      for inserted in [0x00, 0x01, 0x7F, 0x80, 0xFF] as [UInt8] {
        var damaged = bytes
        damaged.insert(inserted, at: position)
        expectSound(damaged, sourceLocation)
      }
    }
  }

  /// What is read from any bytes at all must be a value like every other.
  func expectSound(_ bytes: [UInt8], _ sourceLocation: SourceLocation = #_sourceLocation) {
    guard let item = try? decoded(bytes) else { return }
    #expect((try? decoded(encoded(item))) == item, "\(bytes)", sourceLocation: sourceLocation)
  }

  func encoded(_ item: Item) -> [UInt8] {
    var writer = ByteWriter()
    encode(item, &writer)
    return writer.bytes
  }

  func decoded(_ bytes: [UInt8]) throws -> Item {
    var reader = ByteReader(bytes)
    let item = try decode(&reader)
    try reader.finish()
    return item
  }
}

let valueCodec = CodecVerifier<Value>(
  encode: { $0.encode(into: &$1) }, decode: { try Value(from: &$0) })
let vectorCodec = CodecVerifier<VersionVector>(
  encode: { $0.encode(into: &$1) }, decode: { try VersionVector(from: &$0) })
let changeCodec = CodecVerifier<Change>(
  encode: { $0.encode(into: &$1) }, decode: { try Change(from: &$0) })
let cellsCodec = CodecVerifier<[Cell]>(
  encode: { Cell.encode($0, into: &$1) }, decode: { try Cell.decode(from: &$0) })
