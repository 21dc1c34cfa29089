import Foundation
import HyperbasisCore

extension HBStorage {
  // MARK: Sync

  /// Meets the peers, exchanges what either side lacks, and returns once all are in step.
  ///
  /// ```swift
  /// do { try await storage.sync() } catch { print(error.localizedDescription) }
  /// // the sync failed: no peer answered; check that one runs on this network, or name its address
  /// ```
  ///
  /// With `.manual` the network is up only during this call, so two devices that are both `.manual` meet
  /// where their calls overlap; what peers offered is still in ``offeredSpaces()`` after it. With `.onSave`
  /// it waits until what is under way is done. World maps are waited for as well, but for one that no peer has:
  /// ``worldMapProgress(spaceId:)`` shows that it is not complete. To be alone is an error: an app that may
  /// be catches ``HBNetworkFailure/noPeers`` and ``HBNetworkFailure/notReached(reason:)``.
  ///
  /// - Throws: `HBStorageError.cloudNotConfigured` for a storage that is local only,
  ///   `cloudSyncFailed` with ``HBNetworkFailure/noPeers`` when nobody answered within 4 seconds (with
  ///   ``HBNetworkFailure/notReached(reason:)`` where addresses were given that lead to nobody), or
  ///   with another cause when the last peer left before all was exchanged, or nothing went on for 10
  ///   seconds. What came before that is kept.
  public func sync() async throws {
    guard isCloudEnabled else { throw HBStorageError.cloudNotConfigured }
    let peer = try peer()
    core.beginSync()
    let outcome: Result<Void, HBStorageError>
    do throws(HBStorageError) {
      try await start(peer)
      outcome = .success(try await untilInStep())
    } catch {
      outcome = .failure(error)
    }
    core.endSync()
    if !core.wantsNetwork { await peer.stopNetwork() }
    try outcome.get()
  }

  /// Does nothing where the network is on.

  private func start(_ peer: LocalPeer) async throws(HBStorageError) {
    do throws(PeerError) { try await peer.start() } catch { throw HBStorageError(error) }
  }

  private func untilInStep() async throws(HBStorageError) {
    let clock = ContinuousClock()
    var meeting = SyncMeeting(start: clock.now)
    while true {
      let (progress, vain) = try await read { loop throws(HBStorageError) in
        (loop.syncProgress, loop.network.vainAddresses)
      }
      do throws(HBStorageError) {
        if try meeting.isOver(after: progress, at: clock.now) { return }
      } catch {
        guard let vain, case .cloudSyncFailed(let cause as HBNetworkFailure) = error,
          cause == .noPeers
        else { throw error }
        throw .cloudSyncFailed(underlying: HBNetworkFailure.notReached(reason: vain))
      }
      do { try await Task.sleep(for: .milliseconds(25)) } catch {
        throw .cloudSyncFailed(underlying: error)
      }
    }
  }

  /// Ends all links and stops listening, for an app that goes to the background; edits go on and are
  /// sent after ``resume()``. Without a network it does nothing.
  public func suspend() async {
    core.isSuspended = true
    guard let peer = core.openPeer else { return }
    await peer.stopNetwork()
  }

  /// Undoes ``suspend()``; peers are looked for and dialled again at once.
  ///
  /// - Throws: `HBStorageError.cloudSyncFailed` when the port was taken meanwhile.
  public func resume() async throws {
    core.isSuspended = false
    guard config.keepsLinksOpen else { return }
    try await start(try peer())
  }

  /// How many changes were made here that no peer is known to have; 0 for a storage that is local
  /// only, and for one that cannot be opened: ``open()`` says why.
  ///
  /// Who had what is learned anew after a start, when peers are met. Changes that were made under the
  /// ``actorId`` before the last one count as well, those of a damaged space do not. It blocks its thread
  /// for a moment.
  public var pendingOperationCount: Int {
    guard isCloudEnabled, let peer = try? peer() else { return 0 }
    return (try? peer.look { loop throws(PeerError) in loop.pendingChanges }) ?? 0
  }

  /// The port that is listened on; nil while the network is off, and before the first call opens the
  /// storage. It blocks its thread for a moment.
  public var port: UInt16? {
    guard let peer = core.openPeer else { return nil }
    return try? peer.look { loop throws(PeerError) in loop.network.port }
  }
}
