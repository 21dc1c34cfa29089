internal import CDNSSD
import Foundation
import HyperbasisNet
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// The DNS-SD library as it is: one operation, and a thread that waits for its answers.
///
/// Safe because: the operation is used by its thread alone, from its making to its end.
final class BareService: @unchecked Sendable {
  private var ref: DNSServiceRef?
  private let onName: @Sendable (String, ContinuousClock.Instant) -> Void
  private let isOver = Atomic(false)
  private let ended = DispatchSemaphore(value: 0)

  private init(_ onName: @escaping @Sendable (String, ContinuousClock.Instant) -> Void) {
    self.onName = onName
    // Without it Avahi writes an advertisement for its own API to standard error.
    setenv("AVAHI_COMPAT_NOWARN", "1", 0)
  }

  /// Tells the name of each service that appears, once an interface and family.
  ///
  /// - Throws: `BenchmarkError` where the daemon refuses.
  static func browse(
    _ onName: @escaping @Sendable (String, ContinuousClock.Instant) -> Void
  ) throws -> BareService {
    let service = BareService(onName)
    try service.check(
      DNSServiceBrowse(
        &service.ref, 0, 0, DNSSDDiscovery.serviceType, "local",
        { _, flags, _, code, name, _, _, context in
          let now = ContinuousClock.now
          guard code == kDNSServiceErr_NoError, flags & UInt32(kDNSServiceFlagsAdd) != 0,
            let name, let context
          else { return }
          Unmanaged<BareService>.fromOpaque(context).takeUnretainedValue()
            .onName(String(cString: name), now)
        }, Unmanaged.passUnretained(service).toOpaque()))
    service.start()
    return service
  }

  static func register(_ name: String, port: UInt16) throws -> BareService {
    let service = BareService { _, _ in }
    try service.check(
      DNSServiceRegister(
        &service.ref, 0, 0, name, DNSSDDiscovery.serviceType, nil, nil, port.bigEndian, 0, nil,
        { _, _, _, _, _, _, _ in }, nil))
    service.start()
    return service
  }

  /// Ends the operation; nothing is told afterwards.
  func end() {
    isOver.store(true, ordering: .relaxed)
    ended.wait()
  }

  private func start() {
    Thread.detachNewThread { [self] in
      while !isOver.load(ordering: .relaxed) {
        var descriptor = pollfd(
          fd: DNSServiceRefSockFD(ref), events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, 20) > 0 else { continue }
        if DNSServiceProcessResult(ref) != kDNSServiceErr_NoError { break }
      }
      DNSServiceRefDeallocate(ref)
      ended.signal()
    }
  }

  private func check(_ code: DNSServiceErrorType) throws {
    guard code != kDNSServiceErr_NoError else { return }
    throw BenchmarkError("the DNS-SD daemon answers with \(code)")
  }
}
