/// Names one link of a ``Reactor``; never used again for another.
package struct LinkID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let number: UInt64

  package init(_ number: UInt64) {
    self.number = number
  }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }

  package var description: String { "link \(number)" }
}

/// Names one dial of a ``Reactor``; never used again for another.
package struct DialID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let number: UInt64

  package init(_ number: UInt64) {
    self.number = number
  }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }

  package var description: String { "dial \(number)" }
}

/// Who began a connection, and where it leads.
package enum LinkRole: Hashable, Sendable {
  case dialled(DialID, remote: SocketAddress)
  case accepted(remote: SocketAddress)

  package var remote: SocketAddress {
    switch self {
    case .dialled(_, let remote), .accepted(let remote): remote
    }
  }

  /// The dial that led here; nil for a connection that came in.
  package var dial: DialID? {
    if case .dialled(let dial, _) = self { dial } else { nil }
  }
}

/// What a ``Link`` fills while it turns bytes of one side into bytes of the other.
package struct LinkFlow {
  /// Set by the link, once, when the user's bytes can pass; the handler hears of the link then.
  package var isOpen = false
  /// Bytes for the socket, oldest first.
  package var wire = ByteQueue()
  /// Bytes for the user.
  package var received: [UInt8] = []

  package init() {}
}

/// Turns the user's bytes into the socket's bytes and back, with no I/O and no clock of its own.
///
/// ``PlainLink`` passes bytes as they are. A TLS link keeps its engine on memory buffers: it puts
/// handshake and encrypted bytes into ``LinkFlow/wire``, decrypted ones into ``LinkFlow/received``,
/// and sets ``LinkFlow/isOpen`` after the handshake. All calls come on the reactor's thread. What
/// was put into the flow before an error is still sent and delivered.
package protocol Link: AnyObject {
  /// The connection stands.
  func begin(_ flow: inout LinkFlow) throws(LinkFailure)

  /// Bytes have come from the socket.
  func receive(_ bytes: RawSpan, _ flow: inout LinkFlow) throws(LinkFailure)

  /// The user sends; called only while the flow is open.
  func send(_ bytes: [UInt8], _ flow: inout LinkFlow) throws(LinkFailure)

  /// The user closes, and the flow may take a farewell.
  func finish(_ flow: inout LinkFlow)

  /// The socket came to its end; throws where that is a truncation.
  func end() throws(LinkFailure)
}

/// A link that leaves the bytes as they are.
package final class PlainLink: Link {
  package init() {}

  package func begin(_ flow: inout LinkFlow) {
    flow.isOpen = true
  }

  package func receive(_ bytes: RawSpan, _ flow: inout LinkFlow) {
    bytes.withUnsafeBytes { flow.received.append(contentsOf: $0) }
  }

  package func send(_ bytes: [UInt8], _ flow: inout LinkFlow) {
    flow.wire.append(bytes)
  }

  package func finish(_ flow: inout LinkFlow) {}

  package func end() {}
}
