/// How far a sync is; two that are equal mean that nothing went on between.
struct SyncProgress: Equatable, Sendable {
  /// Connected peers.
  var peers = 0
  /// Changes that are still to go one way or the other, and what else is not there.
  var missing: UInt64 = 0
  /// Maps that are missing here and that no connected peer says it has.
  var unheld = 0
  /// Grows with everything that comes in.
  var arrived: UInt64 = 0

  var isDone: Bool { missing == 0 }
}

/// When a sync is over: told by what is seen of the peers again and again, and when.
///
/// ```swift
/// var meeting = SyncMeeting(start: clock.now)
/// while try !meeting.isOver(after: progress(), at: clock.now) { try await Task.sleep(for: .milliseconds(25)) }
/// ```
struct SyncMeeting {
  /// In which somebody must answer, and one that left must come back.
  static let patience: Duration = .milliseconds(4_000)
  /// Without any progress after which a sync is given up.
  static let stall: Duration = .milliseconds(10_000)
  /// For which nothing must be left to do, so that a peer that is just being met counts; ``patience`` where
  /// a map is missing that no peer has, since one may be about to say that it does.
  static let quiet: Duration = .milliseconds(600)
  /// By how much less it was so when a peer leaves that has seen the same: it did not see it at once.
  static let lag: Duration = .milliseconds(400)

  private let start: ContinuousClock.Instant
  private var last: (progress: SyncProgress, since: ContinuousClock.Instant)?
  private var hasMet = false
  /// The last peer left when nothing was left to do.
  private var leftInStep = false

  init(start: ContinuousClock.Instant) {
    self.start = start
  }

  /// Whether all is exchanged with those who were met.
  ///
  /// - Throws: `HBStorageError.cloudSyncFailed` when nobody answered, a peer left before the end or did
  ///   not go on.
  mutating func isOver(
    after progress: SyncProgress, at now: ContinuousClock.Instant
  ) throws(HBStorageError) -> Bool {
    let quiet = note(progress, at: now)
    guard progress.peers == 0 else {
      if progress.isDone { return quiet >= SyncMeeting.quiet(after: progress) }
      guard quiet < SyncMeeting.stall else { throw failure("a peer did not go on; sync again") }
      return false
    }
    if leftInStep { return quiet >= SyncMeeting.quiet }
    guard hasMet else {
      guard now - start < SyncMeeting.patience else {
        throw .cloudSyncFailed(underlying: HBNetworkFailure.noPeers)
      }
      return false
    }
    guard quiet < SyncMeeting.patience else {
      throw failure("the peer left before all was exchanged; sync again")
    }
    return false
  }

  /// Returns for how long nothing went on.
  private mutating func note(_ progress: SyncProgress, at now: ContinuousClock.Instant) -> Duration
  {
    if progress.peers > 0 {
      (hasMet, leftInStep) = (true, false)
    } else if let last, last.progress.peers > 0 {
      let settled = SyncMeeting.quiet(after: last.progress) - SyncMeeting.lag
      leftInStep = last.progress.isDone && now - last.since >= settled
    }
    if last?.progress != progress { last = (progress, now) }
    return now - last!.since
  }

  private static func quiet(after progress: SyncProgress) -> Duration {
    progress.unheld == 0 ? quiet : patience
  }

  private func failure(_ reason: String) -> HBStorageError {
    .cloudSyncFailed(underlying: HBNetworkFailure.failed(reason: reason))
  }
}
