import HyperbasisCore

/// Cuts the bytes of one direction of a link into frames; a length beyond the limit is refused before
/// anything is kept.
package struct FrameDecoder: Sendable {
  private var buffer: [UInt8] = []
  private var start = 0
  private var codecs = Codecs()
  /// Bytes of payload allowed in the next frame.
  package var limit: Int

  /// Those that go on from frame to frame.
  struct Codecs {
    var live = LiveDecoder()
    var batches = BatchDecoder()
  }

  package init(limit: Int) {
    self.limit = limit
  }

  /// What comes when nothing is left of what came before, as most does, is not copied.
  package mutating func append(_ bytes: [UInt8]) {
    if start == buffer.count {
      buffer = bytes
    } else {
      buffer.removeFirst(start)
      buffer.append(contentsOf: bytes)
    }
    start = 0
  }

  /// The next whole frame; nil when more bytes are needed.
  ///
  /// - Throws: `CodecError` for a length of 0 or beyond `limit`, or a malformed payload. What follows cannot be
  ///   read then.
  package mutating func next() throws(CodecError) -> Frame? {
    guard buffer.count - start >= 4 else { return nil }
    var length = 0
    for index in (0..<4).reversed() { length = length << 8 | Int(buffer[start + index]) }
    guard length > 0 else { throw .invalid("frame length", offset: 0) }
    guard length <= limit else {
      throw .limit("frame length", value: UInt64(length), most: limit, offset: 0)
    }
    let payload = start + 4..<start + 4 + length
    guard payload.upperBound <= buffer.count else { return nil }
    start = payload.upperBound
    var reader = ByteReader(buffer, in: payload)
    return try Frame(from: &reader, &codecs)
  }
}
