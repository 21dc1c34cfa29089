// The system calls that this module makes, under names that do not collide with its own methods.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Owns one descriptor and closes it exactly once.
final class Descriptor: Sendable {
  let number: Int32

  init(owning number: Int32) {
    self.number = number
  }

  deinit {
    _ = close(number)
  }
}

/// What a non-blocking read or write came to.
enum Transfer {
  case moved(Int)
  case wouldBlock
  case ended
  case failed(SystemError)
}

/// A non-blocking TCP socket that is not inherited by child processes and never raises SIGPIPE.
func makeStreamSocket(family: Int32) throws(SystemError) -> Descriptor {
  #if canImport(Glibc)
    let kind = Int32(SOCK_STREAM.rawValue)
  #else
    let kind = SOCK_STREAM
  #endif
  let number = socket(family, kind, 0)
  guard number >= 0 else { throw SystemError("socket") }
  let descriptor = Descriptor(owning: number)
  try prepare(descriptor)
  return descriptor
}

/// Makes a descriptor non-blocking and not inherited.
func prepare(_ descriptor: Descriptor) throws(SystemError) {
  let flags = fcntl(descriptor.number, F_GETFL)
  guard flags >= 0, fcntl(descriptor.number, F_SETFL, flags | O_NONBLOCK) >= 0,
    fcntl(descriptor.number, F_SETFD, FD_CLOEXEC) >= 0
  else { throw SystemError("fcntl") }
  #if canImport(Darwin)  // Not compiled on Linux, where MSG_NOSIGNAL does it.
    _ = try? setOption(descriptor, level: SOL_SOCKET, name: SO_NOSIGPIPE, to: 1)
  #endif
}

func setOption(
  _ descriptor: Descriptor, level: Int32, name: Int32, to value: Int32
) throws(SystemError) {
  var value = value
  let size = socklen_t(MemoryLayout<Int32>.size)
  guard setsockopt(descriptor.number, level, name, &value, size) == 0 else {
    throw SystemError("setsockopt")
  }
}

/// Sends each write at once, however small.
func disableDelay(_ descriptor: Descriptor) {
  try? setOption(descriptor, level: Int32(IPPROTO_TCP), name: TCP_NODELAY, to: 1)
}

/// Has the system take no more than a little ahead of what it sends, so that what is written next does
/// not queue behind it.
func limitUnsent(_ descriptor: Descriptor) {
  try? setOption(
    descriptor, level: Int32(IPPROTO_TCP), name: TCP_NOTSENT_LOWAT, to: NetLimits.unsentBytes)
}

/// A socket that listens on `port` for one family.
func makeListener(_ address: SocketAddress) throws(SystemError) -> Descriptor {
  let descriptor = try makeStreamSocket(family: address.family)
  try setOption(descriptor, level: SOL_SOCKET, name: SO_REUSEADDR, to: 1)
  if address.isIPv6 {
    try setOption(descriptor, level: Int32(IPPROTO_IPV6), name: IPV6_V6ONLY, to: 1)
  }
  let bound = address.withSockAddr { pointer, size in bind(descriptor.number, pointer, size) }
  guard bound == 0 else { throw SystemError("bind") }
  guard listen(descriptor.number, 128) == 0 else { throw SystemError("listen") }
  return descriptor
}

/// Starts a connection; true when it stands already.
func startConnecting(
  _ descriptor: Descriptor, to address: SocketAddress
) throws(SystemError) -> Bool {
  let result = address.withSockAddr { pointer, size in connect(descriptor.number, pointer, size) }
  if result == 0 { return true }
  // An interrupted connect goes on by itself.
  guard errno == EINPROGRESS || errno == EINTR else { throw SystemError("connect") }
  return false
}

/// The error of a connection attempt that has come to its end; nil when it stands.
func connectionError(_ descriptor: Descriptor) -> SystemError? {
  var code: Int32 = 0
  var size = socklen_t(MemoryLayout<Int32>.size)
  guard getsockopt(descriptor.number, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else {
    return SystemError("getsockopt")
  }
  return code == 0 ? nil : SystemError(call: "connect", code: code)
}

/// Takes one waiting connection; nil when there is none any more.
func acceptConnection(
  _ listener: Descriptor
) throws(SystemError) -> (Descriptor, SocketAddress)? {
  while true {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let number = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        accept(listener.number, $0, &size)
      }
    }
    guard number >= 0 else {
      if errno == EAGAIN || errno == EWOULDBLOCK { return nil }
      if errno == EINTR || errno == ECONNABORTED { continue }
      throw SystemError("accept")
    }
    let descriptor = Descriptor(owning: number)
    guard let remote = SocketAddress(storage) else { continue }
    try prepare(descriptor)
    return (descriptor, remote)
  }
}

/// The address of one end of a socket.
func localAddress(_ descriptor: Descriptor) -> SocketAddress? {
  address { getsockname(descriptor.number, $0, $1) }
}

func remoteAddress(_ descriptor: Descriptor) -> SocketAddress? {
  address { getpeername(descriptor.number, $0, $1) }
}

private func address(
  _ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
) -> SocketAddress? {
  var storage = sockaddr_storage()
  var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
  let result = withUnsafeMutablePointer(to: &storage) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask($0, &size) }
  }
  return result == 0 ? SocketAddress(storage) : nil
}

func readSocket(_ descriptor: Descriptor, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
  while true {
    let count = recv(descriptor.number, buffer.baseAddress, buffer.count, 0)
    if count > 0 { return .moved(count) }
    if count == 0 { return .ended }
    if errno == EINTR { continue }
    if errno == EAGAIN || errno == EWOULDBLOCK { return .wouldBlock }
    return .failed(SystemError("recv"))
  }
}

func writeSocket(_ descriptor: Descriptor, _ bytes: UnsafeRawBufferPointer) -> Transfer {
  #if canImport(Darwin)
    let flags: Int32 = 0
  #else
    let flags = Int32(MSG_NOSIGNAL)
  #endif
  while true {
    let count = send(descriptor.number, bytes.baseAddress, bytes.count, flags)
    if count >= 0 { return .moved(count) }
    if errno == EINTR { continue }
    if errno == EAGAIN || errno == EWOULDBLOCK { return .wouldBlock }
    return .failed(SystemError("send"))
  }
}

/// Tells the other side that no more bytes come.
func endWriting(_ descriptor: Descriptor) {
  _ = shutdown(descriptor.number, Int32(SHUT_WR))
}

/// Waits until a descriptor is ready or `milliseconds` passed (nil: for ever); false on a timeout.
@discardableResult
func waitForDescriptors(_ descriptors: inout [pollfd], milliseconds: UInt64?) -> Bool {
  let timeout = milliseconds.map { Int32(min($0, 60_000)) } ?? -1
  let count = poll(&descriptors, nfds_t(descriptors.count), timeout)
  if count > 0 { return true }
  for index in descriptors.indices { descriptors[index].revents = 0 }
  return false
}
