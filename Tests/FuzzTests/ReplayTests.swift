import HyperbasisCore
import HyperbasisSync
import Testing

@testable import Fuzz

/// The fuzzer's targets over the inputs that are kept: all that a long run reached, and every failure of
/// the past.
struct ReplayTests {
  @Test("what is kept of fuzzing runs through", arguments: fuzzTargets.map { $0.name })
  func kept(name: String) throws {
    let target = try #require(fuzzTargets.first { $0.name == name })
    for input in try target.seeds() + Corpus.inputs(of: target) { try target.run(input) }
    for (_, bytes) in try Corpus.fixtures(of: target) { try target.run(bytes) }
  }

  @Test func `seeds are more than what a reader refuses at once`() throws {
    for target in fuzzTargets { #expect(try target.seeds().count > 1, "\(target.name)") }
  }

  @Test func `samples name anchors by writes, which are found`() throws {
    var (encoder, decoder) = (FrameEncoder(), FrameDecoder(limit: Limits.frameBytes))
    var known: [AnchorID] = []
    for frame in SampleFrames.named {
      decoder.append(encoder.encode(frame))
      guard case .batch(let batch) = try decoder.next() else { continue }
      let told = batch.cells.told(by: SampleFrames.known, after: &known)
      #expect(batch.cells.hasUntold && told != nil)
    }
    #expect(known == [0xA, 0xC, 0xB, 0xD].map { AnchorID($0) })
  }
}
