import CZlib
import HyperbasisCore

/// Deflate without a header (RFC 1951), as the old SDK writes world maps.
///
/// ```swift
/// let data = RawDeflate.deflate(Array("room room room".utf8))
/// try RawDeflate.inflate(data)  // "room room room"
/// ```
package enum RawDeflate {
  /// The bytes that were compressed. Memory is used for what comes out, not for what is allowed.
  ///
  /// - Parameter limit: the most bytes that may come out.
  /// - Throws: `BlobError` when the data is damaged, ends early, goes on after its end, or gives more
  ///   than `limit` bytes.
  package static func inflate(
    _ data: [UInt8], limit: Int = Limits.mapBytes
  ) throws(BlobError) -> [UInt8] {
    let stream = ZlibStream(.inflate)
    var output: [UInt8] = []
    guard let status = stream.run(data, into: &output, limit: limit) else {
      throw .wrongSize(nil, expected: limit)
    }
    switch status {
    case Z_STREAM_END where stream.unread > 0: throw .damaged
    case Z_STREAM_END: return output
    case Z_OK, Z_BUF_ERROR: throw .truncated
    default: throw .damaged
    }
  }

  package static func deflate(_ bytes: [UInt8]) -> [UInt8] {
    let stream = ZlibStream(.deflate)
    var output: [UInt8] = []
    let status = stream.run(bytes, into: &output, limit: .max)
    precondition(status == Z_STREAM_END, "any bytes can be compressed")
    return output
  }
}

/// The one owner of a zlib stream.
private final class ZlibStream {
  enum Direction {
    case inflate, deflate
  }

  private let direction: Direction
  /// At an address of its own: zlib refuses a stream that was moved.
  private let stream: UnsafeMutablePointer<z_stream>

  /// Minus the bits of the window: negative for no header and no checksum.
  private static let windowBits: Int32 = -15
  /// What is asked of zlib in one call.
  private static let stepBytes = 262_144

  init(_ direction: Direction) {
    self.direction = direction
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let size = Int32(MemoryLayout<z_stream>.size)
    let status =
      switch direction {
      case .inflate: inflateInit2_(stream, ZlibStream.windowBits, ZLIB_VERSION, size)
      case .deflate:
        deflateInit2_(
          stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, ZlibStream.windowBits, 8, Z_DEFAULT_STRATEGY,
          ZLIB_VERSION, size)
      }
    precondition(status == Z_OK, "zlib has the version of its header, and memory is left")
  }

  deinit {
    switch direction {
    case .inflate: inflateEnd(stream)
    case .deflate: deflateEnd(stream)
    }
    stream.deinitialize(count: 1)
    stream.deallocate()
  }

  /// Bytes of the input that were not needed.
  var unread: Int { Int(stream.pointee.avail_in) }

  /// Takes all input and appends what comes out; nil as soon as that is more than `limit` bytes.
  ///
  /// Precondition: there are fewer than 4 GB of input; a stream is run once.
  func run(_ input: [UInt8], into output: inout [UInt8], limit: Int) -> Int32? {
    input.withUnsafeBufferPointer { input in
      // zlib does not write to its input, though the C type would let it.
      stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      stream.pointee.avail_in = UInt32(input.count)
      let step = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: ZlibStream.stepBytes)
      defer { step.deallocate() }
      while true {
        stream.pointee.next_out = step.baseAddress
        stream.pointee.avail_out = UInt32(step.count)
        let status =
          direction == .inflate
          ? CZlib.inflate(stream, Z_NO_FLUSH) : CZlib.deflate(stream, Z_FINISH)
        let count = step.count - Int(stream.pointee.avail_out)
        guard count <= limit - output.count else { return nil }
        output.append(contentsOf: step[..<count])
        // A call that leaves space has no more to give.
        if status != Z_OK || stream.pointee.avail_out > 0 { return status }
      }
    }
  }
}
