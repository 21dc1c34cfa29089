import HyperbasisCore
import HyperbasisSync

/// The frame decoder: a stream that comes in two parts gives what it gives whole, and what was decoded
/// is encoded in no more bytes and decoded as the same.
///
/// The first byte says where the stream is cut, in 256ths.
enum FramesTarget: FuzzTarget {
  static let name = "frames"

  static func seeds() -> [[UInt8]] {
    let frames = SampleFrames.all.map { $0.encoded() }
    return frames.enumerated().map { [UInt8($0 * 17 % 256)] + $1 } + [[0x80] + frames.joined()]
  }

  static func run(_ bytes: [UInt8]) throws {
    guard let first = bytes.first else { return }
    let stream = Array(bytes.dropFirst())
    let cut = stream.count * Int(first) / 256
    let whole = decode([stream])
    let parts = decode([Array(stream[..<cut]), Array(stream[cut...])])
    try expect(whole.frames == parts.frames, "where a stream is cut makes no difference")
    try expect(whole.isRefused == parts.isRefused, "a stream is refused wherever it is cut")
    var encoded: [UInt8] = []
    for frame in whole.frames { encoded += frame.encoded() }
    try expect(encoded.count <= stream.count, "frames do not grow when they are passed on")
    let again = decode([encoded])
    try expect(again.frames == whole.frames, "frames are read as they were written")
    try expect(!again.isRefused, "what was written is read")
  }

  private static func decode(_ parts: [[UInt8]]) -> (frames: [Frame], isRefused: Bool) {
    var decoder = FrameDecoder(limit: Limits.frameBytes)
    var frames: [Frame] = []
    for part in parts {
      decoder.append(part)
      do {
        while let frame = try decoder.next() { frames.append(frame) }
      } catch {
        return (frames, true)
      }
    }
    return (frames, false)
  }
}
