#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Interrupts a thread's `poll` from another thread.
///
/// Both ends live and die together, so that a write never meets a closed reader.
final class WakePipe: Sendable {
  /// The end to poll for reading.
  let reader: Int32
  private let writer: Int32

  /// - Throws: ``SystemError`` when the process is out of descriptors.
  init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError("pipe") }
    reader = ends[0]
    writer = ends[1]
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
  }

  deinit {
    _ = close(reader)
    _ = close(writer)
  }

  /// Makes ``reader`` readable. A full pipe is readable already.
  func wake() {
    var byte: UInt8 = 1
    while write(writer, &byte, 1) < 0, errno == EINTR {}
  }

  /// Takes all wake-ups that have come.
  func drain() {
    var bytes: [UInt8] = Array(repeating: 0, count: 256)
    while true {
      let count = read(reader, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      if count < bytes.count { return }
    }
  }
}
