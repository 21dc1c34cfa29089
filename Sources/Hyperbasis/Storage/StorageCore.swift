import Foundation
import HyperbasisCore
import HyperbasisNet
import HyperbasisStore

/// What all `HBStorage` of one process and one directory share: the peer, opened by the first call.
///
/// One in memory is shared by none, and has no directory.
final class StorageCore: Sendable {
  let directory: URL
  let config: HBStorageConfig
  let isInMemory: Bool
  /// What was last handed out or written, for saves of values built afresh.
  let memory = SaveMemory()
  /// Whose the values are that it hands out.
  let scope: EditScope
  /// Held for moments only: closures ask on the peer's own thread.
  private let opened = Locked(Opened())
  /// Held while the peer is opened or repaired. Never asked for on the peer's own thread, for whose end a
  /// repair waits.
  private let opening = Locked(())
  private let suspended = Locked(false)
  /// That of the network before a repair.
  private let lastPort = Locked<UInt16?>(nil)
  /// Calls of `sync()` under way.
  private let syncs = Locked(0)

  private struct Opened: Sendable {
    var peer: LocalPeer?
    /// Whether a repair ends it: then it is there for its own thread only.
    var isEnding = false
  }

  private init(
    directory: URL, config: HBStorageConfig, scope: EditScope, isInMemory: Bool = false
  ) {
    self.directory = directory
    self.config = config
    self.scope = scope
    self.isInMemory = isInMemory
  }

  static func inMemory(_ config: HBStorageConfig) -> StorageCore {
    StorageCore(
      directory: URL(fileURLWithPath: "/memory"), config: config, scope: EditScope(),
      isInMemory: true)
  }

  // MARK: Sharing

  private static let cores = Locked<[String: WeakCore]>([:])

  /// How many cores of a directory are being closed.
  private static let closing = Locked<[String: Int]>([:])

  /// The scopes of directories, kept while the process runs: values outlive their storage.
  private static let scopes = Locked<[String: EditScope]>([:])

  private struct WeakCore: Sendable {
    weak let core: StorageCore?
  }

  /// The core of a directory: an existing one, or a new one that nothing has opened yet.
  static func shared(for config: HBStorageConfig) -> StorageCore {
    let directory = URL(fileURLWithPath: config.directoryPath).standardizedFileURL
      .resolvingSymlinksInPath()
    // Let go of after the lock: the last reference to one may be here, and its end waits for a closure.
    let living = cores.withLock { cores in
      var living = cores.compactMapValues(\.core)
      let core =
        living[directory.path]
        ?? StorageCore(directory: directory, config: config, scope: scope(of: directory))
      living[directory.path] = core
      cores = living.mapValues { WeakCore(core: $0) }
      return living
    }
    return living[directory.path]!
  }

  private static func scope(of directory: URL) -> EditScope {
    scopes.withLock { scopes in
      let scope = scopes[directory.path] ?? EditScope()
      scopes[directory.path] = scope
      return scope
    }
  }

  // MARK: Opening

  /// The peer, opened now when no call did so before; a failed opening is tried again by the next.
  ///
  /// - Throws: `HBStorageError.fileOperationFailed` for the store, `cloudSyncFailed` for the network.
  func peer(for wanted: HBStorageConfig) throws(HBStorageError) -> LocalPeer {
    try wanted.checkDirectory()
    let isEqual =
      wanted.backend == config.backend
      && wanted.keepsLinksOpen == config.keepsLinksOpen
    guard isEqual else {
      let reason = "this process has it open with another configuration; use the same one"
      throw .fileOperationFailed(
        underlying: HBStoreFailure.failed(path: directory.path, reason: reason))
    }
    if let peer = readyPeer { return peer }
    let result = opening.withLock { _ -> Result<LocalPeer, HBStorageError> in
      if let peer = readyPeer { return .success(peer) }
      do throws(PeerError) {
        let peer = try open()
        opened.withLock { $0.peer = peer }
        return .success(peer)
      } catch {
        return .failure(HBStorageError(error))
      }
    }
    return try result.get()
  }

  /// The peer that answers the calls of this thread now.
  private var readyPeer: LocalPeer? {
    opened.withLock { opened in
      opened.peer.flatMap { !opened.isEnding || $0.isCurrentThread ? $0 : nil }
    }
  }

  /// Closes the store, repairs it and opens it again.
  ///
  /// - Throws: `HBStorageError`; the next call then opens what there is.
  func repair() throws(HBStorageError) -> RepairReport {
    guard !isInMemory else {
      throw HBStorageError(StoreError.failed(path: directory.path, reason: "it has no files"))
    }
    let result = opening.withLock { _ -> Result<RepairReport, HBStorageError> in
      endPeer()
      do throws(StoreError) {
        let report = try Store.repair(directory: directory.path)
        memory.forgetAll()
        return .success(report)
      } catch {
        return .failure(HBStorageError(error))
      }
    }
    let report = try result.get()
    _ = try peer(for: config)
    return report
  }

  /// Stops the peer where there is one, after the closure that is under way; until then it answers that.
  private func endPeer() {
    let peer = opened.withLock { opened in
      opened.isEnding = true
      return opened.peer
    }
    let port = try? peer?.look { loop throws(PeerError) in loop.network.port ?? loop.lastPort }
    if let port { lastPort.withLock { $0 = port } }
    peer?.stop()
    opened.withLock { $0 = Opened() }
  }

  /// The peer when some call opened it.
  var openPeer: LocalPeer? { opened.withLock { $0.peer } }

  /// Whether the app is in the background and wants no network.
  var isSuspended: Bool {
    get { suspended.withLock { $0 } }
    set { suspended.withLock { $0 = newValue } }
  }

  /// A storage of this process that was just released may still be closing: it is waited for.
  private func openOncePreviousClosed(
    _ configuration: PeerConfiguration
  ) throws(PeerError) -> LocalPeer {
    let clock = ContinuousClock()
    let start = clock.now
    while true {
      do throws(PeerError) { return try LocalPeer(configuration) } catch {
        let isClosing = StorageCore.closing.withLock { $0[directory.path] != nil }
        let patience: Duration = isClosing ? .seconds(5) : .milliseconds(200)
        guard case .store(.inUse) = error, clock.now - start < patience else { throw error }
      }
      Thread.sleep(forTimeInterval: 0.01)
    }
  }

  deinit {
    guard let peer = openPeer else { return }
    StorageCore.closing.withLock { $0[directory.path, default: 0] += 1 }
    peer.stop()
    StorageCore.closing.withLock { closing in
      let left = closing[directory.path]! - 1
      closing[directory.path] = left > 0 ? left : nil
    }
  }

  func beginSync() {
    syncs.withLock { $0 += 1 }
  }

  func endSync() {
    syncs.withLock { $0 -= 1 }
  }

  /// Whether the network is to be on.
  var wantsNetwork: Bool {
    config.keepsLinksOpen && !isSuspended || syncs.withLock { $0 > 0 }
  }

  private func open() throws(PeerError) -> LocalPeer {
    var configuration = PeerConfiguration(directory: directory.path, name: "")
    configuration.isInMemory = isInMemory
    configuration.scope = scope
    configuration.memory = memory
    configuration.lastPort = lastPort.withLock { $0 }
    if case .lan(let options) = config.backend {
      configuration.name = options.deviceName
      configuration.port = options.port
      configuration.knownPeers = options.knownPeers
      configuration.usesDiscovery = options.discovery
      configuration.joinsOfferedSpaces = options.joinsOfferedSpaces
    }
    let peer = try openOncePreviousClosed(configuration)
    if wantsNetwork { _ = try peer.startAndWait() }
    return peer
  }
}

extension HBStorageConfig {
  /// Whether the network is up while the storage is, rather than during `sync()` only.
  var keepsLinksOpen: Bool { backend != .localOnly && syncStrategy == .onSave }
}
