import HyperbasisCore
import HyperbasisNet
import HyperbasisStore
import HyperbasisSync

/// What concerns people and no call can report.
extension PeerLoop {
  /// What holds now, a line each: for a reader that begins after it was told.
  var standingNotices: [String] { storeNotices + rejoinNotices + network.standingNotices }

  /// What is the matter with this store, a line each.
  var storeNotices: [String] {
    [clockNotice, identityNotice].compactMap { $0 } + damageNotices
      + [unreadSetting].compactMap { $0 }
  }

  /// A line for each space that is set aside.
  var damageNotices: [String] {
    damaged.map { HBStoreFailure($0.error(path: store.directory)).description }
  }

  /// Edits made while the clock was far ahead carry its time, and so do later ones: peers refuse them
  /// until their own clocks have come so far, or until they are written anew.
  private var clockNotice: String? {
    let ahead = engine.lead(at: .current)
    guard ahead > Limits.clockAheadMilliseconds else { return nil }
    let hope =
      ahead > Limits.renewalMilliseconds ? "after that they are written anew" : "that will pass"
    return
      "edits in this store are stamped \(ahead / 1_000) s ahead of this device's clock: peers refuse"
      + " them, \(hope); was the clock wrong?"
  }

  private var identityNotice: String? {
    store.breach.map {
      "this store was \($0.word): it goes on as a new replica, and what it lacks comes from peers"
    }
  }
}
