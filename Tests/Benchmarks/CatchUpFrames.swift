import HyperbasisCore
import HyperbasisSync

/// The frames of a catch-up, made and read as a session does.
enum CatchUpFrames {
  static func encode(_ state: SpaceState, since base: VersionVector) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    var sent = base
    var encoder = FrameEncoder()
    repeat {
      let part = state.part(after: sent, budget: Limits.batchBytes)
      let batch = Batch(
        space: state.id, base: frames.isEmpty ? base : nil, covers: part.covers,
        horizon: state.vector, cells: part.cells,
        names: WriteNamer(of: part, of: state, within: base))
      frames.append(encoder.encode(.batch(batch)))
      sent = part.covers
    } while !sent.covers(state.vector)
    return frames
  }

  /// - Parameter state: The one that the catch-up is for.
  /// - Throws: `BenchmarkError` when the frames are no whole catch-up, or an anchor was not found, `CodecError` or
  ///   `CatchUpError` when one is bad.
  static func delta(of frames: [[UInt8]], over state: SpaceState) throws -> Delta {
    var decoder = FrameDecoder(limit: Limits.frameBytes)
    var catchUp: CatchUp?
    for frame in frames {
      decoder.append(frame)
      guard case .batch(let batch) = try decoder.next() else {
        throw BenchmarkError("a frame is no batch")
      }
      if let base = batch.base { catchUp = CatchUp(base: base) }
      guard try catchUp?.append(batch, over: state) ?? true else {
        throw BenchmarkError("an anchor was not found")
      }
    }
    guard let catchUp, catchUp.isWhole else { throw BenchmarkError("the catch-up is not whole") }
    return catchUp.delta
  }
}
