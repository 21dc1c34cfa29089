import HyperbasisCore

/// Cuts a byte stream into frames; a length beyond the limit is refused before anything is kept.
package struct FrameDecoder: Sendable {
  private var buffer: [UInt8] = []
  private var start = 0
  /// Bytes of payload allowed in the next frame.
  package var limit: Int

  package init(limit: Int) {
    self.limit = limit
  }

  package mutating func append(_ bytes: [UInt8]) {
    if start > 0 {
      buffer.removeFirst(start)
      start = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// The next whole frame; nil when more bytes are needed.
  ///
  /// - Throws: `CodecError` for a length of 0 or beyond `limit`, or a malformed payload.
  package mutating func next() throws(CodecError) -> Frame? {
    guard buffer.count - start >= 4 else { return nil }
    var length = 0
    for index in (0..<4).reversed() { length = length << 8 | Int(buffer[start + index]) }
    guard length > 0 else { throw .invalid("frame length", offset: 0) }
    guard length <= limit else {
      throw .limit("frame length", value: UInt64(length), most: limit, offset: 0)
    }
    guard buffer.count - start >= 4 + length else { return nil }
    let payload = Array(buffer[start + 4..<start + 4 + length])
    start += 4 + length
    return try Frame(payload: payload)
  }
}
