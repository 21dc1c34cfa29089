import HyperbasisCore
import Testing

/// Whatever the limits allow at one place they allow at every place where it goes next.
@Suite struct LimitsTests {
  /// Bytes that a write has as a cell beyond those that it has in its change: the index of its
  /// replica, its sequence and its timestamp.
  private let cellOverhead = 2 + 7 + 8
  private let vectorBytes = 3 + Limits.replicas * (16 + 7)

  @Test func `a key and a value fit a change`() {
    #expect(Limits.keyBytes + Limits.valueBytes + 64 <= Limits.changeBytes)
    #expect(Limits.nameBytes + 64 <= Limits.changeBytes)
  }

  @Test func `a change fits a frame`() {
    #expect(Limits.changeBytes + 17 <= Limits.frameBytes)
    // What a live change may take beyond its form in full: signed numbers for floats and dates.
    #expect(Limits.changeBytes + 64 + 20 * Limits.changeOperations <= Limits.frameBytes)
  }

  @Test func `the writes of a change fit their limit in a batch`() {
    #expect(
      Limits.changeBytes + cellOverhead * Limits.changeOperations <= Limits.changeCellBytes)
  }

  @Test func `the largest batch fits a frame`() {
    // A batch is closed at its budget, but the last change in it is whole.
    let most = 17 + 3 * vectorBytes + Limits.batchBytes + Limits.changeCellBytes
    let tables = 16 * (Limits.replicas + Limits.changeOperations)
    #expect(most + tables <= Limits.frameBytes)
  }

  @Test func `the greeting fits its frame`() {
    #expect(1 + 4 + 4 + 16 + 16 + 8 + 2 + Limits.peerNameBytes <= Limits.helloBytes)
  }

  @Test func `a ping is sent well before silence is death`() {
    #expect(2 * Limits.pingAfterMilliseconds < Limits.silenceMilliseconds)
    #expect(Limits.haveDelayMilliseconds < Limits.pingAfterMilliseconds)
  }

  @Test func `sequences and timestamps have room`() {
    #expect(Limits.sequence <= 1 << 48)
    #expect(Limits.linksPerReplica < Limits.links)
    #expect(Limits.recentBytes >= Limits.batchBytes)
  }
}
