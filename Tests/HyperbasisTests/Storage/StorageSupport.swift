import Foundation
import Hyperbasis

/// A storage in a directory of its own, without discovery.
func localStorage(_ directory: PeerDirectory, _ name: String = "a") -> HBStorage {
  HBStorage(config: .local(directory: directory.url(name)))
}

/// A storage on the loopback network: it dials `others`, and is found by nobody.
func lanStorage(
  _ directory: PeerDirectory, _ name: String, dialling others: [HBStorage] = [],
  strategy: HBSyncStrategy = .onSave, port: UInt16 = 0
) -> HBStorage {
  for other in others { _ = try? other.actorId }  // Opens it.
  return HBStorage(
    config: .lan(
      deviceName: name, directory: directory.url(name), port: port,
      knownPeers: others.map { "127.0.0.1:\($0.port!)" }, discovery: false,
      syncStrategy: strategy))
}

/// A transform at a place.
func at(_ x: Float, _ y: Float = 0, _ z: Float = 0) -> simd_float4x4 {
  var matrix = matrix_identity_float4x4
  matrix.columns.3 = SIMD4(x, y, z, 1)
  return matrix
}

/// Waits until `condition` holds; false after a minute.
nonisolated(nonsending) func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
  let clock = ContinuousClock()
  let deadline = clock.now + .seconds(60)
  while clock.now < deadline {
    if try await condition() { return true }
    try await Task.sleep(for: .milliseconds(10))
  }
  return false
}

extension PeerDirectory {
  func url(_ name: String) -> URL { URL(fileURLWithPath: path(name)) }
}
