#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What a person gives to name a peer: `HOST:PORT`.
///
/// ```swift
/// try Endpoint(parsing: "10.0.0.1:7000")   // .address
/// try Endpoint(parsing: "[fe80::1%eth0]:7000")  // .address
/// try Endpoint(parsing: "studio.local:7000")  // .name
/// ```
package enum Endpoint: Hashable, Sendable, CustomStringConvertible {
  case address(SocketAddress)
  /// A host name that is still to be resolved, see ``HostResolver``.
  case name(String, port: UInt16)

  /// - Throws: ``AddressError``, which says what is wrong and how it should look.
  package init(parsing text: String) throws(AddressError) {
    let (host, portText) = try Self.split(text)
    guard !portText.isEmpty, portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = UInt16(portText), port > 0
    else { throw .badPort(text: text, port: portText) }
    if host.contains(":") || text.hasPrefix("[") {
      self = .address(SocketAddress(try Self.parseIPv6(host, in: text), port: port))
    } else if let bits = Self.parseIPv4(host) {
      self = .address(SocketAddress(.v4(bits), port: port))
    } else {
      guard Self.isHostName(host) else { throw .badHost(text: text, host: host) }
      self = .name(host, port: port)
    }
  }

  package var description: String {
    switch self {
    case .address(let address): "\(address)"
    case .name(let name, let port): "\(name):\(port)"
    }
  }

  private static func split(_ text: String) throws(AddressError) -> (String, String) {
    guard let colon = text.lastIndex(of: ":") else { throw .noPort(text: text) }
    var host = text[..<colon]
    let port = String(text[text.index(after: colon)...])
    if host.hasPrefix("[") || host.hasSuffix("]") {
      guard host.hasPrefix("["), host.hasSuffix("]") else {
        throw text.hasSuffix("]") ? .noPort(text: text) : .badHost(text: text, host: String(host))
      }
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      throw .needsBrackets(text: text)
    }
    guard !host.isEmpty else { throw .badHost(text: text, host: "") }
    return (String(host), port)
  }

  private static func parseIPv4(_ host: String) -> UInt32? {
    var address = in_addr()
    guard inet_pton(AF_INET, host, &address) == 1 else { return nil }
    return UInt32(bigEndian: address.s_addr)
  }

  private static func parseIPv6(
    _ host: String, in text: String
  ) throws(AddressError) -> SocketAddress.Host {
    let parts = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    var address = in6_addr()
    guard inet_pton(AF_INET6, String(parts[0]), &address) == 1 else {
      throw .badHost(text: text, host: host)
    }
    var scope: UInt32 = 0
    if parts.count == 2 {
      let name = String(parts[1])
      scope = UInt32(name) ?? if_nametoindex(name)
      guard scope != 0 else { throw .noSuchInterface(text: text, interface: name) }
    }
    let bits = withUnsafeBytes(of: address) { $0.loadUnaligned(as: UInt128.self) }
    return .v6(UInt128(bigEndian: bits), scope: scope)
  }

  /// Labels of 1 to 63 bytes, no character that separates or controls, and not a number only.
  private static func isHostName(_ host: String) -> Bool {
    guard host.utf8.count <= NetLimits.hostNameBytes else { return false }
    let forbidden = Set("/\\@%[]:,;\"' ".utf8)
    guard host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !forbidden.contains($0) }),
      !host.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") })
    else { return false }
    let name = host.hasSuffix(".") ? host.dropLast() : host[...]
    return name.split(separator: ".", omittingEmptySubsequences: false)
      .allSatisfy { (1...63).contains($0.utf8.count) }
  }
}

extension SocketAddress {
  /// Reads a numeric `HOST:PORT`.
  ///
  /// - Throws: ``AddressError``; ``AddressError/notNumeric(text:)`` for a host name.
  package init(parsing text: String) throws(AddressError) {
    guard case .address(let address) = try Endpoint(parsing: text) else {
      throw .notNumeric(text: text)
    }
    self = address
  }
}

/// What is wrong with a written address.
package enum AddressError: Error, Hashable, Sendable, CustomStringConvertible {
  case noPort(text: String)
  case badPort(text: String, port: String)
  case badHost(text: String, host: String)
  case needsBrackets(text: String)
  case noSuchInterface(text: String, interface: String)
  case notNumeric(text: String)

  package var description: String {
    switch self {
    case .noPort(let text):
      "'\(text)' names no port; write HOST:PORT, for example 10.0.0.1:7000"
    case .badPort(let text, let port):
      "'\(port)' in '\(text)' is not a port; a port is a number from 1 to 65535"
    case .badHost(let text, let host):
      "'\(host)' in '\(text)' is neither an address nor a host name"
    case .needsBrackets(let text):
      "'\(text)' looks like IPv6; write the address in brackets, for example [fe80::1%eth0]:7000"
    case .noSuchInterface(let text, let interface):
      "'\(text)' names the interface '\(interface)', which this machine does not have"
    case .notNumeric(let text):
      "'\(text)' is a host name where a numeric address is needed"
    }
  }
}
