import Foundation
import Hyperbasis
import HyperbasisCore

/// A store of 10,000 anchors and 1,000,000 past events is opened, until all anchors are read.
///
/// Once in a process, since an app does it once, at its start.
enum OpenWorkload {
  static func run(_ place: Place, isCold: Bool) async throws -> [Figures] {
    let store = LargeStore.longPast
    try store.make(place)
    let directory = store.directory(place)
    let bytes = try prepareCache(of: directory, isCold: isCold)
    var figures = Figures(workload: isCold ? "open-cold" : "open-warm")
    figures.set("store_bytes", bytes)
    let space = UUID(LargeStore.space)
    let (storage, anchors) = try await figures.time("open_s") {
      let storage = HBStorage(config: .local(directory: directory))
      return (storage, try await storage.loadAnchors(spaceId: space))
    }
    guard anchors.count == store.anchors else {
      throw BenchmarkError("\(anchors.count) anchors were read, and not \(store.anchors)")
    }
    guard try storage.identityChange == nil else {
      throw BenchmarkError("the store did not go on as itself: remove \(directory.path)")
    }
    return [figures]
  }

  /// Reads all files, or has the system forget them; returns their bytes.
  ///
  /// What a disk or a host keeps for itself is out of reach.
  private static func prepareCache(of directory: URL, isCold: Bool) throws -> Int {
    var bytes = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
      let file = try FileHandle(forReadingFrom: directory.appendingPathComponent(name))
      defer { try? file.close() }
      if isCold {
        // Only pages that are on the disk are forgotten.
        fsync(file.fileDescriptor)
        #if os(Linux)
          posix_fadvise(file.fileDescriptor, 0, 0, POSIX_FADV_DONTNEED)
        #endif
        bytes += Int(try file.seekToEnd())
      } else {
        while let part = try file.read(upToCount: 1 << 20), !part.isEmpty { bytes += part.count }
      }
    }
    return bytes
  }
}
