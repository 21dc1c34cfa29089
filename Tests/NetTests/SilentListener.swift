import Testing

@testable import HyperbasisNet

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A listening socket outside any reactor, which accepts only when told and reads only when asked.
final class SilentListener: Sendable {
  private let descriptor: Descriptor
  let port: UInt16

  init(backlog: Int32 = 16) throws {
    descriptor = try makeListener(.loopback4(port: 0))
    _ = listen(descriptor.number, backlog)
    port = try #require(localAddress(descriptor)).port
  }

  /// Takes the next caller.
  func accept() throws -> RawConnection {
    try wait("caller") {
      guard let (descriptor, _) = try? acceptConnection(self.descriptor) else { return nil }
      return RawConnection(descriptor)
    }
  }
}

/// One end of a connection outside any reactor.
final class RawConnection {
  private var descriptor: Descriptor?

  init(_ descriptor: Descriptor) {
    self.descriptor = descriptor
  }

  /// Reads until `count` bytes or the end have come.
  func readAll(_ count: Int) -> [UInt8] {
    guard let descriptor else { return [] }
    var bytes: [UInt8] = []
    var buffer: [UInt8] = Array(repeating: 0, count: 65_536)
    while bytes.count < count {
      switch buffer.withUnsafeMutableBytes({ readSocket(descriptor, into: $0) }) {
      case .moved(let count): bytes += buffer[..<count]
      case .wouldBlock: restAMillisecond()
      case .ended, .failed: return bytes
      }
    }
    return bytes
  }

  func write(_ bytes: [UInt8]) {
    guard let descriptor else { return }
    var rest = bytes[...]
    while !rest.isEmpty {
      switch rest.withUnsafeBytes({ writeSocket(descriptor, $0) }) {
      case .moved(let count): rest = rest.dropFirst(count)
      case .wouldBlock: restAMillisecond()
      case .ended, .failed: return
      }
    }
  }

  func close() {
    descriptor = nil
  }

  /// Closes with a reset instead of an end.
  func reset() {
    guard let descriptor else { return }
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor.number, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    self.descriptor = nil
  }
}

/// Lets the process run out of descriptors for a while.
enum DescriptorFamine {
  static func run<Result>(_ body: () throws -> Result) throws -> Result {
    var limit = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    getrlimit(resource, &limit)
    let before = limit
    var hoard: [Descriptor] = []
    limit.rlim_cur = rlim_t(openDescriptors() + 16)
    setrlimit(resource, &limit)
    defer {
      hoard = []
      var restored = before
      setrlimit(resource, &restored)
    }
    while let one = try? makeStreamSocket(family: AF_INET) { hoard.append(one) }
    // One is left for the caller; the side that accepts has none.
    _ = hoard.popLast()
    return try body()
  }
}
