#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A call to the operating system that failed, and its `errno`.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the call, as in its manual page.
  package let call: String
  /// The value of `errno`.
  package let code: Int32

  package init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  /// Takes the current `errno`.
  init(_ call: String) {
    self.init(call: call, code: errno)
  }

  package var description: String {
    "\(call): \(String(cString: strerror(code))) (errno \(code))"
  }
}

/// Why no socket listens.
package enum ListenError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another socket of this machine listens on the port.
  case portInUse(UInt16)
  /// The user may not listen on the port.
  case portNotPermitted(UInt16)
  /// The system refused otherwise.
  case failed(port: UInt16, SystemError)

  package var description: String {
    switch self {
    case .portInUse(let port):
      "port \(port) is in use on this machine; choose another, or 0 for any free one"
    case .portNotPermitted(let port):
      "this user may not listen on port \(port); choose one from 1024 up, or 0 for any free one"
    case .failed(let port, let error):
      "listening on port \(port) failed: \(error)"
    }
  }
}

/// Why a dial gave no link.
package enum DialError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The machine is there and nothing listens on the port.
  case refused(SocketAddress)
  /// No link within the time given.
  case timedOut(SocketAddress, milliseconds: UInt64)
  /// No way to the address, or another answer of the system.
  case failed(SocketAddress, SystemError)
  /// Connected, but the other side ended or broke the opening of the link.
  case notOpened(SocketAddress, CloseReason)
  /// More dials or links than ``NetLimits`` allow.
  case tooMany(SocketAddress)
  /// The reactor was stopped.
  case stopped(SocketAddress)

  package var description: String {
    switch self {
    case .refused(let address):
      "\(address) refuses connections: nothing listens on that port there"
    case .timedOut(let address, let milliseconds):
      "\(address) did not answer within \(milliseconds) ms"
    case .failed(let address, let error):
      "\(address) cannot be reached: \(error)"
    case .notOpened(let address, let reason):
      "\(address) was reached, but the link did not open: \(reason)"
    case .tooMany(let address):
      "\(address) was not dialled: too many connections are open or under way"
    case .stopped(let address):
      "\(address) was not reached: networking was stopped"
    }
  }
}

/// Why a link is no more.
package enum CloseReason: Error, Hashable, Sendable, CustomStringConvertible {
  /// ``Reactor/close(_:afterFlush:)``; `flushed` tells whether the other side took all bytes.
  case closedHere(flushed: Bool)
  /// The other side closed; everything that it had sent was delivered.
  case endedByPeer
  /// The connection broke.
  case broken(SystemError)
  /// The ``Link`` refused the other side's bytes.
  case refused(LinkFailure)
  /// The other side did not finish opening the link in time.
  case openTimedOut(milliseconds: UInt64)
  /// This machine has ``NetLimits/links`` links already.
  case tooMany
  /// The reactor was stopped.
  case stopped

  package var description: String {
    switch self {
    case .closedHere(flushed: true): "closed here"
    case .closedHere(flushed: false): "closed here, with bytes that the other side did not take"
    case .endedByPeer: "closed by the other side"
    case .broken(let error): "the connection broke: \(error)"
    case .refused(let failure): "\(failure)"
    case .openTimedOut(let milliseconds):
      "the other side did not finish opening the link within \(milliseconds) ms"
    case .tooMany: "this machine has too many connections already"
    case .stopped: "networking was stopped"
    }
  }
}

/// A ``Link``'s refusal of the other side's bytes.
package struct LinkFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was wrong, for a person.
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
