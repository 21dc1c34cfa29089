import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// What a message takes to another thread and back over a TCP connection of loopback, and nothing else.
enum RoundTrip {
  /// As many as a frame has that carries a move.
  private static let bytes = 132
  private static let warmups = 200

  /// - Throws: `BenchmarkError` when the system gives no connection.
  static func measure(_ count: Int) throws -> Samples {
    let (near, far) = try connection()
    let echo = Thread { while pass(far, read) && pass(far, write) {} }
    echo.start()
    defer {
      shutdown(near, Int32(SHUT_RDWR))
      close(near)
      close(far)
    }
    var samples = Samples()
    for number in 0..<warmups + count {
      let start = ContinuousClock.now
      guard pass(near, write), pass(near, read) else {
        throw BenchmarkError("the connection over loopback broke")
      }
      if number >= warmups { samples.add(ContinuousClock.now - start) }
    }
    return samples
  }

  /// Reads or writes one message.
  private static func pass(
    _ descriptor: Int32, _ call: (Int32, UnsafeMutableRawPointer, Int) -> Int
  ) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: bytes, alignment: 1) { buffer in
      buffer.initializeMemory(as: UInt8.self, repeating: 1)
      var done = 0
      while done < bytes {
        let count = call(descriptor, buffer.baseAddress! + done, bytes - done)
        guard count > 0 else { return false }
        done += count
      }
      return true
    }
  }

  private static func read(_ descriptor: Int32, _ start: UnsafeMutableRawPointer, _ count: Int)
    -> Int
  {
    recv(descriptor, start, count, 0)
  }

  private static func write(_ descriptor: Int32, _ start: UnsafeMutableRawPointer, _ count: Int)
    -> Int
  {
    #if os(Linux)
      send(descriptor, start, count, Int32(MSG_NOSIGNAL))
    #else
      send(descriptor, start, count, 0)
    #endif
  }

  private static func connection() throws -> (Int32, Int32) {
    #if os(Linux)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let listener = socket(AF_INET, stream, 0)
    let near = socket(AF_INET, stream, 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let far = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
        guard bind(listener, address, length) == 0, listen(listener, 1) == 0,
          getsockname(listener, address, &length) == 0, connect(near, address, length) == 0
        else { return -1 }
        return accept(listener, nil, nil)
      }
    }
    guard far >= 0 else {
      throw BenchmarkError("no TCP connection over loopback: \(String(cString: strerror(errno)))")
    }
    for descriptor in [near, far] {
      var on: Int32 = 1
      setsockopt(
        descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }
    return (near, far)
  }
}
