#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A numeric IPv4 or IPv6 address with a TCP port.
///
/// ```swift
/// print(try SocketAddress(parsing: "[::1]:7000"))  // [::1]:7000
/// ```
package struct SocketAddress: Hashable, Sendable {
  /// The address proper; the most significant bit is the first on the wire.
  package enum Host: Hashable, Sendable {
    case v4(UInt32)
    /// `scope` is the index of the interface for a link-local address, otherwise 0.
    case v6(UInt128, scope: UInt32)
  }

  package let host: Host
  package let port: UInt16

  /// An IPv4 address in IPv6 clothes (`::ffff:10.0.0.1`) becomes IPv4; a scope stays only where it
  /// means something.
  package init(_ host: Host, port: UInt16) {
    self.port = port
    switch host {
    case .v6(let bits, _) where bits >> 32 == 0xFFFF:
      self.host = .v4(UInt32(truncatingIfNeeded: bits))
    case .v6(let bits, _) where !Self.isLinkLocal(bits):
      self.host = .v6(bits, scope: 0)
    default:
      self.host = host
    }
  }

  package static func loopback4(port: UInt16) -> Self { Self(.v4(0x7F00_0001), port: port) }

  package static func loopback6(port: UInt16) -> Self { Self(.v6(1, scope: 0), port: port) }

  static func any4(port: UInt16) -> Self { Self(.v4(0), port: port) }

  static func any6(port: UInt16) -> Self { Self(.v6(0, scope: 0), port: port) }

  package var isIPv6: Bool {
    if case .v6 = host { true } else { false }
  }

  /// Whether the address is valid on one network segment only (`169.254/16`, `fe80::/10`).
  package var isLinkLocal: Bool {
    switch host {
    case .v4(let bits): bits >> 16 == 0xA9FE
    case .v6(let bits, _): Self.isLinkLocal(bits)
    }
  }

  /// Whether the address means this machine (`127/8`, `::1`).
  package var isLoopback: Bool {
    switch host {
    case .v4(let bits): bits >> 24 == 127
    case .v6(let bits, _): bits == 1
    }
  }

  /// The same host with another port.
  package func with(port: UInt16) -> Self { Self(host, port: port) }

  private static func isLinkLocal(_ bits: UInt128) -> Bool { bits >> 118 == 0x3FA }
}

extension SocketAddress: CustomStringConvertible {
  /// `10.0.0.1:7000`, `[fe80::1%eth0]:7000`.
  package var description: String {
    switch host {
    case .v4: "\(hostText):\(port)"
    case .v6: "[\(hostText)]:\(port)"
    }
  }

  /// The address without the port: `10.0.0.1`, `fe80::1%eth0`.
  package var hostText: String {
    switch host {
    case .v4(let bits):
      return (0..<4).map { String(bits >> (24 - 8 * UInt32($0)) & 0xFF) }.joined(separator: ".")
    case .v6(let bits, let scope):
      let text = withUnsafeBytes(of: bits.bigEndian) { bytes in
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
          inet_ntop(AF_INET6, bytes.baseAddress, buffer.baseAddress, socklen_t(buffer.count))
            .map { String(cString: $0) } ?? "?"
        }
      }
      return scope == 0 ? text : "\(text)%\(interfaceName(scope))"
    }
  }
}

extension SocketAddress {
  /// The system's `AF_INET` or `AF_INET6`.
  var family: Int32 { isIPv6 ? AF_INET6 : AF_INET }

  /// Shows the address as the system wants it.
  func withSockAddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    switch host {
    case .v4(let bits):
      var address = sockaddr_in()
      #if canImport(Darwin)
        address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
      #endif
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = bits.bigEndian
      return withSockAddr(of: &address, body)
    case .v6(let bits, let scope):
      var address = sockaddr_in6()
      #if canImport(Darwin)
        address.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
      #endif
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_scope_id = scope
      withUnsafeMutableBytes(of: &address.sin6_addr) { bytes in
        bytes.storeBytes(of: bits.bigEndian, as: UInt128.self)
      }
      return withSockAddr(of: &address, body)
    }
  }

  private func withSockAddr<Address, Result>(
    of address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }

  /// Reads the system's form; nil for a family that is neither IPv4 nor IPv6.
  init?(_ storage: sockaddr_storage) {
    let found = withUnsafeBytes(of: storage) { Self($0.baseAddress!, family: storage.ss_family) }
    guard let found else { return nil }
    self = found
  }

  /// - Precondition: `raw` points to a `sockaddr_in` or `sockaddr_in6` as `family` says.
  init?(_ raw: UnsafeRawPointer, family: sa_family_t) {
    switch Int32(family) {
    case AF_INET:
      let address = raw.loadUnaligned(as: sockaddr_in.self)
      self.init(
        .v4(UInt32(bigEndian: address.sin_addr.s_addr)), port: UInt16(bigEndian: address.sin_port))
    case AF_INET6:
      let address = raw.loadUnaligned(as: sockaddr_in6.self)
      let bits = withUnsafeBytes(of: address.sin6_addr) { $0.loadUnaligned(as: UInt128.self) }
      self.init(
        .v6(UInt128(bigEndian: bits), scope: address.sin6_scope_id),
        port: UInt16(bigEndian: address.sin6_port))
    default:
      return nil
    }
  }
}

/// The name of a network interface, or its number when it has none any more.
func interfaceName(_ index: UInt32) -> String {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
    if_indextoname(index, buffer.baseAddress!).map { String(cString: $0) } ?? String(index)
  }
}
