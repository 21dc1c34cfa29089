import HyperbasisCore
import HyperbasisSync

/// The frames of a catch-up, made and read as a session does.
enum CatchUpFrames {
  static func encode(_ state: SpaceState, since base: VersionVector) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    var sent = base
    var encoder = FrameEncoder()
    repeat {
      let (cells, covers) = state.cells(after: sent, budget: Limits.batchBytes)
      let batch = Batch(
        space: state.id, base: frames.isEmpty ? base : nil, covers: covers, horizon: state.vector,
        cells: cells)
      frames.append(encoder.encode(.batch(batch)))
      sent = covers
    } while !sent.covers(state.vector)
    return frames
  }

  /// - Throws: `BenchmarkError` when the frames are no whole catch-up, `CodecError` or `CatchUpError` when one is bad.
  static func delta(of frames: [[UInt8]]) throws -> Delta {
    var decoder = FrameDecoder(limit: Limits.frameBytes)
    var catchUp: CatchUp?
    for frame in frames {
      decoder.append(frame)
      guard case .batch(let batch) = try decoder.next() else {
        throw BenchmarkError("a frame is no batch")
      }
      if let base = batch.base { catchUp = CatchUp(base: base) }
      try catchUp?.append(batch)
    }
    guard let catchUp, catchUp.isWhole else { throw BenchmarkError("the catch-up is not whole") }
    return catchUp.delta
  }
}
