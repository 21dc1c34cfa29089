import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// Writes over a part of a file, and has that on the disk: what a commit of SQLite does at least, whose log is written
/// over again and again.
final class DiskSync {
  /// As many as a save writes to the log: some pages of 4 KiB with their heads.
  private static let bytes = 5 * 4_120
  private static let parts = 200

  private let descriptor: Int32
  private let path: String
  private let pages = [UInt8](repeating: 7, count: DiskSync.bytes)
  private var next = 0

  /// - Throws: `BenchmarkError` where the file cannot be written.
  init(in directory: URL) throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    path = directory.appendingPathComponent("synced").path
    descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
    // So that its size stays what it is.
    for _ in 0..<DiskSync.parts { try write() }
    _ = try measure()
  }

  deinit {
    close(descriptor)
  }

  func measure() throws -> Duration {
    let start = ContinuousClock.now
    try write()
    guard synchronize() == 0 else { throw failure() }
    return ContinuousClock.now - start
  }

  private func write() throws {
    let place = off_t(next % DiskSync.parts * DiskSync.bytes)
    next += 1
    guard pwrite(descriptor, pages, DiskSync.bytes, place) == DiskSync.bytes else {
      throw failure()
    }
  }

  private func synchronize() -> Int32 {
    #if os(Linux)
      fdatasync(descriptor)
    #else
      fsync(descriptor)
    #endif
  }

  private func failure() -> BenchmarkError {
    BenchmarkError("\(path) cannot be written: \(String(cString: strerror(errno)))")
  }
}
