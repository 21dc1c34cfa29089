import Foundation
import HyperbasisCore
import Testing

@testable import Hyperbasis

struct ConfigurationTests {
  @Test func theDefaultsAreTheSDKs() {
    let config = HBStorageConfig.default
    #expect(config.backend == .localOnly)
    #expect(config.syncStrategy == .manual)
    #expect(config.compression == .balanced)
    #expect(config.directory == nil)
    #expect(HBStorageConfig.local() == .default)
  }

  @Test func lanTakesPartInTheNetwork() {
    let plain = HBStorageConfig.lan()
    #expect(plain.syncStrategy == .onSave && plain.compression == .balanced)
    #expect(plain.backend == .lan(HBLANOptions()))
    let options = HBLANOptions()
    #expect(options.deviceName == ProcessInfo.processInfo.hostName && !options.deviceName.isEmpty)
    #expect(options.port == 0 && options.knownPeers == [])
    #expect(options.discovery && options.joinsOfferedSpaces)

    let folder = URL(fileURLWithPath: "/tmp/room")
    let full = HBStorageConfig.lan(
      deviceName: "Display", directory: folder, port: 4_000, knownPeers: ["10.0.0.1:1"],
      discovery: false, joinsOfferedSpaces: false, syncStrategy: .manual)
    #expect(
      full
        == HBStorageConfig(
          backend: .lan(
            HBLANOptions(
              deviceName: "Display", port: 4_000, knownPeers: ["10.0.0.1:1"], discovery: false,
              joinsOfferedSpaces: false)),
          syncStrategy: .manual, compression: .balanced, directory: folder))
    #expect(full != plain)
  }

  /// Defect: the directory was not configurable.
  @Test func theDirectoryIsThePlatformsOrTheApps() {
    #expect(
      HBStorageConfig.local(directory: URL(fileURLWithPath: "/srv/room")).directoryPath
        == "/srv/room")
    let places: [([String: String], String)] = [
      (["XDG_DATA_HOME": "/data", "HOME": "/home/ada"], "/data/notes/hyperbasis"),
      (["XDG_DATA_HOME": "data", "HOME": "/home/ada"], "/home/ada/.local/share/notes/hyperbasis"),
      (["HOME": "/home/ada"], "/home/ada/.local/share/notes/hyperbasis"),
      ([:], NSHomeDirectory() + "/.local/share/notes/hyperbasis"),
    ]
    for (environment, path) in places {
      #expect(HBStorageConfig.defaultDirectory(environment: environment, program: "notes") == path)
    }
    #expect(
      HBStorageConfig.default.directoryPath
        == HBStorageConfig.defaultDirectory(
          environment: ProcessInfo.processInfo.environment,
          program: ProcessInfo.processInfo.processName))
  }
}

struct FailureTests {
  private let id = UUID(uuidString: "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6")!

  /// An app's switch: a new case would not compile here.
  private func name(_ error: HBStorageError) -> String {
    switch error {
    case .notFound: "notFound"
    case .cloudNotConfigured: "cloudNotConfigured"
    case .cloudSyncFailed: "cloudSyncFailed"
    case .compressionFailed: "compressionFailed"
    case .decompressionFailed: "decompressionFailed"
    case .invalidURL: "invalidURL"
    case .downloadFailed: "downloadFailed"
    case .uploadFailed: "uploadFailed"
    case .fileOperationFailed: "fileOperationFailed"
    case .encodingFailed: "encodingFailed"
    case .decodingFailed: "decodingFailed"
    case .versionNotFound: "versionNotFound"
    case .reconstructionFailed: "reconstructionFailed"
    case .eventLogCorrupted: "eventLogCorrupted"
    }
  }

  @Test func everyErrorSaysWhatWhereAndWhatToDo() {
    let full = HBStoreFailure(.full(path: "/srv/room"))
    let expected: [(HBStorageError, String)] = [
      (.notFound(type: "anchor", id: id), "no anchor \(id) is in the storage"),
      (
        .cloudNotConfigured,
        "the storage is local only and has nobody to sync with; make it with .lan"
      ),
      (
        .cloudSyncFailed(underlying: HBNetworkFailure.portInUse(7)),
        "the sync failed: port 7 is in use on this machine; choose another, or 0 for any free one"
      ),
      (.compressionFailed, "the world map cannot be compressed"),
      (.decompressionFailed(underlying: nil), "the world map cannot be unpacked, it is damaged"),
      (.invalidURL("a\u{1B}b"), #""a\u{1B}b" is no address of a peer; use HOST:PORT"#),
      (.downloadFailed, "the peers did not send what was asked for; sync again later"),
      (
        .uploadFailed(underlying: HBNetworkFailure.failed(reason: "broken")),
        "the peers did not take what was sent: the network failed: broken"
      ),
      (
        .fileOperationFailed(underlying: full),
        "no space is left for the store '/srv/room'; free some and try again"
      ),
      (
        .encodingFailed(underlying: HBValueFailure(ValueError.notFinite("width"))),
        #"a value cannot be saved: metadata "width" holds a number that is not finite"#
      ),
      (
        .decodingFailed(underlying: CancellationError()),
        "what is stored cannot be read: CancellationError()"
      ),
      (.versionNotFound(anchorId: id, version: 5), "anchor \(id) has no version 5"),
      (
        .reconstructionFailed(anchorId: id),
        "anchor \(id) cannot be reconstructed, its history does not begin with its creation"
      ),
      (.eventLogCorrupted(spaceId: id), "the history of space \(id) is corrupted"),
    ]
    #expect(Set(expected.map { name($0.0) }).count == 14)
    for (error, text) in expected {
      #expect(error.localizedDescription == text)
      #expect("\(error)" == text)
    }
  }

  @Test func theCauseIsKept() {
    let error = HBStorageError.fileOperationFailed(
      underlying: HBStoreFailure(.inUse(path: "/srv/room")))
    guard case .fileOperationFailed(let cause as HBStoreFailure) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause == .inUse(path: "/srv/room"))
  }

  @Test func storeErrorsBecomeFailuresWithTheirParts() {
    let pairs: [(HBStoreFailure, HBStoreFailure)] = [
      (HBStoreFailure(.notADirectory(path: "p")), .notADirectory(path: "p")),
      (
        HBStoreFailure(.cannotCreate(path: "p", reason: "r")), .cannotCreate(path: "p", reason: "r")
      ),
      (HBStoreFailure(.inUse(path: "p")), .inUse(path: "p")),
      (HBStoreFailure(.notWritable(path: "p", reason: "r")), .notWritable(path: "p", reason: "r")),
      (HBStoreFailure(.full(path: "p")), .full(path: "p")),
      (HBStoreFailure(.newer(path: "p", version: 9)), .newer(path: "p", version: 9)),
      (HBStoreFailure(.foreign(path: "p")), .foreign(path: "p")),
      (HBStoreFailure(.damaged(path: "p", what: "w")), .damaged(path: "p", what: "w")),
      (HBStoreFailure(.failed(path: "p", reason: "r")), .failed(path: "p", reason: "r")),
    ]
    for (failure, expected) in pairs {
      #expect(failure == expected)
      #expect(failure.localizedDescription.contains("'p'"))
    }
    #expect(HBStoreFailure.newer(path: "p", version: 9).localizedDescription.contains("9"))
    #expect(HBStoreFailure.damaged(path: "p", what: "w").localizedDescription.contains("w"))
    #expect(HBStoreFailure.closed.localizedDescription == "the storage was closed; make a new one")
  }

  @Test func valueErrorsNameTheKey() {
    #expect(
      HBValueFailure(ValueError.tooDeep("k"))
        == .limit(key: "k", reason: #"metadata "k" is nested deeper than 32 levels"#))
    guard case .limit(key: "k", _) = HBValueFailure(ValueError.tooLarge("k", bytes: 2)),
      case .limit(key: "k", _) = HBValueFailure(ValueError.keyTooLong("k", bytes: 2)),
      case .notFinite(key: "k", _) = HBValueFailure(ValueError.notFinite("k"))
    else {
      Issue.record("another case")
      return
    }
    #expect(
      HBValueFailure(TransformError.wrongCount(3))
        == .transform(reason: "a transform has 16 numbers, not 3"))
    #expect(
      HBValueFailure(TransformError.notFinite(index: 4)).localizedDescription
        == "number 5 of the transform is not finite")
  }

  @Test func networkErrorsNameThePortOrTheAddress() {
    #expect(HBNetworkFailure(.portInUse(80)) == .portInUse(80))
    #expect(HBNetworkFailure(.portNotPermitted(80)) == .portNotPermitted(80))
    #expect(HBNetworkFailure.portNotPermitted(80).localizedDescription.contains("port 80"))
    let failed = HBNetworkFailure(
      .failed(port: 80, .init(call: "bind", code: 1)))
    #expect(failed.localizedDescription.contains("port 80: bind"))
    let bad = HBNetworkFailure(.noPort(text: "kitchen"), of: "kitchen")
    #expect(bad == .badAddress("kitchen", reason: bad.localizedDescription))
    #expect(bad.localizedDescription.contains("kitchen"))
    #expect(HBNetworkFailure.noNetwork(reason: "r").localizedDescription.contains("r"))
    #expect(
      HBNetworkFailure(.init(call: "poll", code: 1)).localizedDescription.contains("poll"))
    #expect(HBNetworkFailure.noPeers.localizedDescription.contains("no peer answered"))
  }

  @Test func errorsOfFoundationAreWords() {
    do {
      _ = try Data(contentsOf: URL(fileURLWithPath: "/nowhere/at/all"))
    } catch {
      let shown = "\(HBStorageError.fileOperationFailed(underlying: error))"
      #expect(!shown.contains("Domain=") && !shown.isEmpty, "\(shown)")
    }
  }
}
