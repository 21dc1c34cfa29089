import Foundation

/// How a storage is set up.
///
/// ```swift
/// let alone = HBStorage()  // .default: on this device only
/// let shared = HBStorage(config: .lan(deviceName: "Kitchen display"))
/// ```
///
/// The cloud of earlier versions is gone: it was a placeholder that never downloaded anything.
/// `.supabase(url:anonKey:)` becomes `.lan()`, which keeps devices in step over the local network
/// without a server.
public struct HBStorageConfig: Equatable, Sendable {
  /// With whom the storage shares what it holds.
  public var backend: HBBackend
  /// When the storage exchanges changes with its peers; without meaning where it is local only.
  public var syncStrategy: HBSyncStrategy
  /// How world maps are stored from now on; those that are stored stay as they are.
  public var compression: HBCompressionLevel
  /// Where the store is, a `file` URL; nil for the platform's place for an application's data.
  ///
  /// That is `$XDG_DATA_HOME/PROGRAM/hyperbasis` or `~/.local/share/PROGRAM/hyperbasis` on Linux, and
  /// `~/Library/Application Support/PROGRAM/Hyperbasis` on Apple's systems. With a URL of another kind the
  /// first call throws ``HBStoreFailure/cannotCreate(path:reason:)``.
  public var directory: URL?

  /// A configuration of given parts.
  public init(
    backend: HBBackend, syncStrategy: HBSyncStrategy, compression: HBCompressionLevel,
    directory: URL? = nil
  ) {
    self.backend = backend
    self.syncStrategy = syncStrategy
    self.compression = compression
    self.directory = directory
  }

  /// On this device only, with compression, in the platform's place.
  public static var `default`: HBStorageConfig { .local() }

  /// On this device only.
  public static func local(directory: URL? = nil) -> HBStorageConfig {
    HBStorageConfig(
      backend: .localOnly, syncStrategy: .manual, compression: .balanced, directory: directory)
  }

  /// In step with the devices on the local network.
  ///
  /// The parameters are those of ``HBLANOptions``, ``directory`` and ``syncStrategy``.
  public static func lan(
    deviceName: String = HBLANOptions.hostName, directory: URL? = nil, port: UInt16 = 0,
    knownPeers: [String] = [], discovery: Bool = true, joinsOfferedSpaces: Bool = true,
    syncStrategy: HBSyncStrategy = .onSave
  ) -> HBStorageConfig {
    HBStorageConfig(
      backend: .lan(
        HBLANOptions(
          deviceName: deviceName, port: port, knownPeers: knownPeers, discovery: discovery,
          joinsOfferedSpaces: joinsOfferedSpaces)),
      syncStrategy: syncStrategy, compression: .balanced, directory: directory)
  }
}

/// With whom a storage shares what it holds.
public enum HBBackend: Equatable, Sendable {
  /// With nobody.
  case localOnly
  /// With the devices on the local network.
  case lan(HBLANOptions)
}

/// How a storage takes part in the local network.
public struct HBLANOptions: Equatable, Sendable {
  /// What other people's devices call this one; cut to 255 bytes.
  public var deviceName: String
  /// The TCP port to listen on; 0 takes a free one.
  public var port: UInt16
  /// Peers to dial besides those that discovery finds: `HOST:PORT`, `[IPV6]:PORT`.
  public var knownPeers: [String]
  /// Whether to look for peers on the local network, and be found.
  public var discovery: Bool
  /// Whether to take every space that a peer offers; if not, the app joins those that it wants.
  public var joinsOfferedSpaces: Bool

  /// Options of given parts; all have defaults.
  public init(
    deviceName: String = HBLANOptions.hostName, port: UInt16 = 0, knownPeers: [String] = [],
    discovery: Bool = true, joinsOfferedSpaces: Bool = true
  ) {
    self.deviceName = deviceName
    self.port = port
    self.knownPeers = knownPeers
    self.discovery = discovery
    self.joinsOfferedSpaces = joinsOfferedSpaces
  }

  /// The name of this machine.
  public static var hostName: String {
    let name = ProcessInfo.processInfo.hostName
    return name.isEmpty ? "hyperbasis" : name
  }
}

/// When what was saved is sent to the peers.
public enum HBSyncStrategy: Hashable, Sendable {
  /// When the app calls `sync()`: the network is off otherwise, and peers come and go unseen.
  case manual
  /// At once.
  case onSave
}

/// How world maps are stored.
public enum HBCompressionLevel: Hashable, Sendable {
  /// As they are.
  case none
  /// Compressed where that makes them smaller.
  case balanced
}
