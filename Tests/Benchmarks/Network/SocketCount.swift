import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// What the TCP sockets of this process have sent so far, as the system counts it: no byte is left out.
struct SocketCount {
  private(set) var sockets = 0
  private(set) var bytesSent = 0

  /// Of `struct tcp_info` of Linux, with what a C library may not know yet.
  private static let (infoBytes, ackedOffset) = (232, 120)

  /// - Throws: `BenchmarkError` where the system does not tell.
  init() throws {
    #if os(Linux)
      for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
        guard let descriptor = Int32(name), let acked = SocketCount.acknowledged(descriptor) else {
          continue
        }
        sockets += 1
        bytesSent += acked
      }
    #else
      throw BenchmarkError("this system does not tell what a socket sent")
    #endif
  }

  #if os(Linux)
    /// Nil for what is no connected TCP socket.
    private static func acknowledged(_ descriptor: Int32) -> Int? {
      withUnsafeTemporaryAllocation(byteCount: infoBytes, alignment: 8) { buffer in
        var length = socklen_t(infoBytes)
        let code = getsockopt(
          descriptor, Int32(IPPROTO_TCP), TCP_INFO, buffer.baseAddress, &length)
        // The first byte is the state; 1 is established.
        guard code == 0, Int(length) >= ackedOffset + 8, buffer[0] == 1 else { return nil }
        return Int(buffer.loadUnaligned(fromByteOffset: ackedOffset, as: UInt64.self))
      }
    }
  #endif
}
