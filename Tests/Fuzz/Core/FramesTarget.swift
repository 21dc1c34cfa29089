import HyperbasisCore
import HyperbasisSync

/// The frame decoder with what a link remembers: a stream that comes in two parts gives what it gives whole, and
/// what was decoded is encoded and decoded as the same. It does not grow: a change by no more than its form may cost.
/// Of a batch that names anchors by writes that is what a receiver makes of it, and may grow.
///
/// The first byte says where the stream is cut, in 256ths.
enum FramesTarget: FuzzTarget {
  static let name = "frames"

  static func seeds() -> [[UInt8]] {
    let frames = SampleFrames.all.map { $0.encoded() }
    return frames.enumerated().map { [UInt8($0 * 17 % 256)] + $1 }
      + [
        [0x80] + frames.joined(),
        [0x80] + stream(of: SampleFrames.all + SampleFrames.live).joined(),
      ]
      + SampleFrames.named.indices.map {
        [0x80] + stream(of: SampleFrames.named.prefix($0 + 1)).joined()
      }
      + SampleFrames.live.indices.map {
        [0x80] + stream(of: SampleFrames.live.prefix($0 + 1)).joined()
      }
  }

  private static func stream(of frames: some Sequence<Frame>) -> [[UInt8]] {
    var encoder = FrameEncoder()
    return frames.map { encoder.encode($0) }
  }

  static func run(_ bytes: [UInt8]) throws {
    guard let first = bytes.first else { return }
    let stream = Array(bytes.dropFirst())
    let cut = stream.count * Int(first) / 256
    let whole = decode([stream])
    let parts = decode([Array(stream[..<cut]), Array(stream[cut...])])
    try expect(whole.frames == parts.frames, "where a stream is cut makes no difference")
    try expect(whole.isRefused == parts.isRefused, "a stream is refused wherever it is cut")
    let frames = told(whole.frames)
    let encoded = Self.stream(of: frames)
    for (frame, bytes) in zip(frames, encoded) {
      guard case .change(_, let change) = frame else { continue }
      let most = change.encodedLength + 32 + 20 * change.operations.count
      try expect(bytes.count <= most, "a change is not much longer than in full")
      try expect(change.encodedLength <= Limits.changeBytes, "a change is within its limit")
    }
    let others = zip(frames, encoded).filter {
      if case .change = $0.0 { false } else { true }
    }
    try expect(
      others.map(\.1.count).reduce(0, +) <= stream.count || frames != whole.frames,
      "frames do not grow when they are passed on")
    let again = decode([Array(encoded.joined())])
    try expect(again.frames == frames, "frames are read as they were written")
    try expect(!again.isRefused, "what was written is read")
  }

  /// The frames as who has ``SampleFrames/known`` reads them; batches of anchors that are not found there are left out.
  private static func told(_ frames: [Frame]) -> [Frame] {
    var known: [SpaceID: [AnchorID]] = [:]
    return frames.compactMap { frame in
      guard case .batch(let batch) = frame, batch.cells.hasUntold else { return frame }
      guard
        let cells = batch.cells.told(
          by: SampleFrames.known, after: &known[batch.space, default: []])
      else { return nil }
      return .batch(
        Batch(
          space: batch.space, base: batch.base, covers: batch.covers, horizon: batch.horizon,
          cells: cells))
    }
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
