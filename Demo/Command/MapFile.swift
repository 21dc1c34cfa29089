import Foundation
import Hyperbasis

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// A file that is read or written piece by piece, and closed once.
final class MapFile {
  private static let pieceBytes = 1_048_576

  private let path: String
  private let descriptor: Int32

  private init(_ path: String, flags: Int32) throws(PeerError) {
    self.path = path
    descriptor = Foundation.open(path, flags | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw MapFile.failure(path, "opened") }
  }

  deinit {
    close(descriptor)
  }

  /// - Throws: `PeerError.invalid` when it cannot be read.
  static func open(_ path: String) throws(PeerError) -> MapFile {
    try MapFile(path, flags: O_RDONLY)
  }

  /// Has `fill` write a file, which appears under its name only when it is whole.
  ///
  /// - Throws: `PeerError.invalid` when it cannot be written, and what `fill` throws.
  static func write(
    _ path: String, _ fill: (MapFile) throws(PeerError) -> Void
  ) throws(PeerError) {
    let part = path + ".part"
    do throws(PeerError) {
      let file = try MapFile(part, flags: O_WRONLY | O_CREAT | O_TRUNC)
      try fill(file)
      guard fsync(file.descriptor) == 0 else { throw failure(part, "written") }
      guard rename(part, path) == 0 else { throw failure(path, "written") }
    } catch {
      unlink(part)
      throw error
    }
  }

  /// - Throws: `PeerError.invalid` for what is no plain file.
  func byteCount() throws(PeerError) -> Int {
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { throw MapFile.failure(path, "read") }
    guard information.st_mode & S_IFMT == S_IFREG else {
      throw .invalid("'\(path)' is not a file")
    }
    return Int(information.st_size)
  }

  /// The next bytes, none at the end.
  func next() throws(PeerError) -> [UInt8] {
    var piece = [UInt8](repeating: 0, count: MapFile.pieceBytes)
    let count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    guard count >= 0 else { throw MapFile.failure(path, "read") }
    piece.removeLast(piece.count - count)
    return piece
  }

  func add(_ bytes: [UInt8]) throws(PeerError) {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        Foundation.write(descriptor, $0.baseAddress, $0.count)
      }
      guard count > 0 else { throw MapFile.failure(path, "written") }
      written += count
    }
  }

  private static func failure(_ path: String, _ what: String) -> PeerError {
    .invalid("'\(path)' cannot be \(what): \(String(cString: strerror(errno)))")
  }
}
