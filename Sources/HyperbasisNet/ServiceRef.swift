internal import CDNSSD

/// An error code of the DNS-SD library, and the call that gave it.
struct DNSSDError: Error, Hashable {
  let call: String
  let code: Int32
}

/// An answer of the DNS-SD daemon; a lookup is known by its number.
enum DNSSDAnswer {
  case registered(name: String)
  case appeared(name: String, interface: UInt32)
  case disappeared(name: String, interface: UInt32)
  case resolved(lookup: UInt64, host: String, port: UInt16, txt: [UInt8])
  case address(lookup: UInt64, SocketAddress.Host, isThere: Bool)
  case lookupFailed(lookup: UInt64)
  /// Registering or browsing ended, and with it the daemon or the connection to it.
  case failed(DNSSDError)
}

/// Where the library's callbacks put their answers; used by one thread.
final class DNSSDInbox {
  private var answers: [DNSSDAnswer] = []

  init() {}

  func put(_ answer: DNSSDAnswer) {
    answers.append(answer)
  }

  /// Whether the daemon is known to be gone.
  var hasFailure: Bool {
    answers.contains { if case .failed = $0 { true } else { false } }
  }

  func take() -> [DNSSDAnswer] {
    defer { answers = [] }
    return answers
  }
}

/// Owns one operation of the DNS-SD library; letting go of it ends the operation.
///
/// Used by one thread. With Avahi each one costs a thread and a connection to the message bus, and
/// is dead for ever once the daemon has gone.
final class ServiceRef {
  /// What a callback gets to know; it lives as long as the operation.
  private final class Context {
    let inbox: DNSSDInbox
    let lookup: UInt64

    init(inbox: DNSSDInbox, lookup: UInt64) {
      self.inbox = inbox
      self.lookup = lookup
    }
  }

  private let context: Context
  private var ref: DNSServiceRef?

  private init(inbox: DNSSDInbox, lookup: UInt64 = 0) {
    context = Context(inbox: inbox, lookup: lookup)
  }

  deinit {
    if let ref { DNSServiceRefDeallocate(ref) }
  }

  /// Makes a service known.
  static func register(
    _ advertisement: Advertisement, type: String, inbox: DNSSDInbox
  ) throws(DNSSDError) -> ServiceRef {
    let service = ServiceRef(inbox: inbox)
    let txt = advertisement.txt.encoded
    let code = DNSServiceRegister(
      &service.ref, 0, 0, advertisement.instanceName, type, nil, nil,
      advertisement.port.bigEndian, UInt16(txt.count), txt,
      { _, _, code, name, _, _, context in
        let inbox = ServiceRef.context(context).inbox
        if code != kDNSServiceErr_NoError {
          inbox.put(.failed(DNSSDError(call: "DNSServiceRegister", code: code)))
        } else if let name = ServiceRef.text(name) {
          inbox.put(.registered(name: name))
        }
      }, service.rawContext)
    try service.check(code, "DNSServiceRegister")
    return service
  }

  /// Watches for services of a type.
  static func browse(type: String, inbox: DNSSDInbox) throws(DNSSDError) -> ServiceRef {
    let service = ServiceRef(inbox: inbox)
    let code = DNSServiceBrowse(
      &service.ref, 0, 0, type, "local",
      { _, flags, interface, code, name, _, _, context in
        let inbox = ServiceRef.context(context).inbox
        if code != kDNSServiceErr_NoError {
          inbox.put(.failed(DNSSDError(call: "DNSServiceBrowse", code: code)))
        } else if let name = ServiceRef.text(name) {
          let isThere = flags & UInt32(kDNSServiceFlagsAdd) != 0
          inbox.put(
            isThere
              ? .appeared(name: name, interface: interface)
              : .disappeared(name: name, interface: interface))
        }
      }, service.rawContext)
    try service.check(code, "DNSServiceBrowse")
    return service
  }

  /// Asks for the host, port and TXT record of a service.
  static func resolve(
    _ name: String, type: String, lookup: UInt64, inbox: DNSSDInbox
  ) throws(DNSSDError) -> ServiceRef {
    let service = ServiceRef(inbox: inbox, lookup: lookup)
    let code = DNSServiceResolve(
      &service.ref, 0, 0, name, type, "local",
      { _, _, _, code, _, host, port, txtLength, txt, context in
        let context = ServiceRef.context(context)
        guard code == kDNSServiceErr_NoError, let host = ServiceRef.text(host) else {
          return context.inbox.put(.lookupFailed(lookup: context.lookup))
        }
        let bytes = UnsafeRawBufferPointer(start: txt, count: txt == nil ? 0 : Int(txtLength))
        context.inbox.put(
          .resolved(
            lookup: context.lookup, host: host, port: UInt16(bigEndian: port), txt: Array(bytes)))
      }, service.rawContext)
    try service.check(code, "DNSServiceResolve")
    return service
  }

  /// Asks for the IPv4 or the IPv6 addresses of a host, on all interfaces.
  static func query(
    host: String, isIPv6: Bool, lookup: UInt64, inbox: DNSSDInbox
  ) throws(DNSSDError) -> ServiceRef {
    let service = ServiceRef(inbox: inbox, lookup: lookup)
    let recordType = isIPv6 ? kDNSServiceType_AAAA : kDNSServiceType_A
    let code = DNSServiceQueryRecord(
      &service.ref, 0, 0, host, UInt16(recordType), UInt16(kDNSServiceClass_IN),
      { _, flags, interface, code, _, _, _, length, data, _, context in
        let context = ServiceRef.context(context)
        guard code == kDNSServiceErr_NoError else {
          return context.inbox.put(.lookupFailed(lookup: context.lookup))
        }
        let bytes = UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : Int(length))
        guard let address = ServiceRef.address(bytes, interface: interface) else { return }
        let isThere = flags & UInt32(kDNSServiceFlagsAdd) != 0
        context.inbox.put(.address(lookup: context.lookup, address, isThere: isThere))
      }, service.rawContext)
    try service.check(code, "DNSServiceQueryRecord")
    return service
  }

  /// The descriptor to poll for reading.
  var descriptor: Int32 {
    DNSServiceRefSockFD(ref)
  }

  /// Takes what has come, to the inbox; call it when ``descriptor`` is readable, else it blocks.
  func process() throws(DNSSDError) {
    try check(DNSServiceProcessResult(ref), "DNSServiceProcessResult")
  }

  private var rawContext: UnsafeMutableRawPointer {
    Unmanaged.passUnretained(context).toOpaque()
  }

  private func check(_ code: Int32, _ call: String) throws(DNSSDError) {
    guard code == kDNSServiceErr_NoError else { throw DNSSDError(call: call, code: code) }
  }

  private static func context(_ raw: UnsafeMutableRawPointer?) -> Context {
    Unmanaged<Context>.fromOpaque(raw!).takeUnretainedValue()
  }

  /// Nil also for a text that is not UTF-8, which no name of ours is.
  private static func text(_ raw: UnsafePointer<CChar>?) -> String? {
    raw.flatMap { String(validatingCString: $0) }
  }

  private static func address(
    _ bytes: UnsafeRawBufferPointer, interface: UInt32
  ) -> SocketAddress.Host? {
    switch bytes.count {
    case 4: .v4(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
    case 16:
      SocketAddress(
        .v6(UInt128(bigEndian: bytes.loadUnaligned(as: UInt128.self)), scope: interface), port: 0
      ).host
    default: nil
    }
  }
}
