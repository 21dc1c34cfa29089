import Testing

@testable import Hyperbasis

/// When a sync is over, without a network: what is seen of the peers at which millisecond.
@Suite struct SyncMeetingTests {
  private let start = ContinuousClock().now

  /// The millisecond at which it is over, or fails, and with what; looked at every 25 milliseconds.
  private func end(
    _ seen: [(at: Int, progress: SyncProgress)]
  ) -> (at: Int, error: HBNetworkFailure?) {
    var meeting = SyncMeeting(start: start)
    for now in stride(from: 0, through: 30_000, by: 25) {
      let progress = seen.last { $0.at <= now }?.progress ?? SyncProgress()
      do throws(HBStorageError) {
        let isOver = try meeting.isOver(after: progress, at: start + .milliseconds(now))
        if isOver { return (now, nil) }
      } catch {
        guard case .cloudSyncFailed(let cause as HBNetworkFailure) = error else { break }
        return (now, cause)
      }
    }
    return (.max, nil)
  }

  private func progress(_ peers: Int, missing: UInt64 = 0, arrived: UInt64 = 0) -> SyncProgress {
    SyncProgress(peers: peers, missing: missing, arrived: arrived)
  }

  @Test func `alone it fails after four seconds`() {
    #expect(end([]) == (4_000, .noPeers))
    // Edits made meanwhile are no peers.
    #expect(end([(3_000, progress(0, arrived: 1))]) == (4_000, .noPeers))
  }

  @Test func `it ends when nothing was left to do for a while`() {
    #expect(end([(100, progress(1))]) == (700, nil))
    let met: [(at: Int, progress: SyncProgress)] = [
      (100, progress(1, missing: 5)), (500, progress(1, missing: 2, arrived: 3)),
      (1_000, progress(1, arrived: 5)), (1_500, progress(2, arrived: 5)),
    ]
    #expect(end(met) == (2_100, nil))
  }

  @Test func `a map that no peer has is waited for a while, as somebody may say that he has it`() {
    var unheld = progress(1)
    unheld.unheld = 1
    #expect(end([(100, unheld)]) == (4_100, nil))
    #expect(end([(100, unheld), (3_800, progress(0))]) == (4_400, nil))
    #expect(end([(100, unheld), (1_000, progress(0))]).error != nil)
    let told: [(at: Int, progress: SyncProgress)] = [
      (100, unheld), (2_000, progress(1, missing: 1)), (3_000, progress(1, arrived: 9)),
    ]
    #expect(end(told) == (3_600, nil))
  }

  @Test func `a peer that leaves when all is exchanged was met`() {
    #expect(
      end([(100, progress(1, missing: 1)), (300, progress(1)), (700, progress(0))]).error == nil)
    #expect(end([(100, progress(1)), (500, progress(0))]) == (1_100, nil))
    // It is met again, and there is more to do.
    let again = end([
      (100, progress(1)), (500, progress(0)), (800, progress(1, missing: 3)), (900, progress(1)),
    ])
    #expect(again == (1_500, nil))
  }

  @Test func `a peer that leaves before is waited for, and then it is said`() {
    let left = HBNetworkFailure.failed(
      reason: "the peer left before all was exchanged; sync again")
    #expect(end([(100, progress(1, missing: 3)), (1_000, progress(0))]) == (5_000, left))
    // One that has just been met has not told what it has.
    #expect(end([(100, progress(1)), (200, progress(0))]) == (4_200, left))
    #expect(
      end([(100, progress(1, missing: 3)), (1_000, progress(0)), (4_000, progress(1))])
        == (4_600, nil))
  }

  @Test func `a peer that does not go on is given up`() {
    #expect(
      end([(100, progress(1, missing: 3))])
        == (10_100, .failed(reason: "a peer did not go on; sync again")))
  }
}
