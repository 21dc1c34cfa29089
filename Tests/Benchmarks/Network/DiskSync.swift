import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// What it takes to append to a file and have that on the disk, as a commit of SQLite must at least.
enum DiskSync {
  /// As many as a save writes to the log: some pages of 4 KiB with their heads.
  private static let bytes = 5 * 4_120

  static func measure(_ count: Int, in directory: URL) throws -> Samples {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let path = directory.appendingPathComponent("synced").path
    let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
    guard descriptor >= 0 else { throw BenchmarkError("\(path) cannot be written") }
    defer { close(descriptor) }
    let page = [UInt8](repeating: 7, count: bytes)
    var samples = Samples()
    for _ in 0..<count {
      let start = ContinuousClock.now
      guard write(descriptor, page, bytes) == bytes, synchronize(descriptor) == 0 else {
        throw BenchmarkError("\(path) cannot be written: \(String(cString: strerror(errno)))")
      }
      samples.add(ContinuousClock.now - start)
    }
    return samples
  }

  private static func synchronize(_ descriptor: Int32) -> Int32 {
    #if os(Linux)
      fdatasync(descriptor)
    #else
      fsync(descriptor)
    #endif
  }
}
