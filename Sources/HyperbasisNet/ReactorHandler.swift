/// What a ``Reactor`` tells its owner, always on the reactor's thread and never from inside a call
/// to the reactor.
package protocol ReactorHandler: AnyObject {
  /// Bytes can pass. `role` names the dial that led here, if one did.
  func linkOpened(_ link: LinkID, role: LinkRole)

  /// Bytes have come; at least one.
  func linkReceived(_ link: LinkID, _ bytes: [UInt8])

  /// The unsent bytes fell below ``NetLimits/lowWaterBytes`` after having been at or above it.
  func linkDrained(_ link: LinkID)

  /// The link is no more; comes exactly once for each opened link, after its last bytes.
  func linkClosed(_ link: LinkID, reason: CloseReason)

  /// A dial came to nothing; comes exactly once for each dial that opened no link.
  func dialFailed(_ dial: DialID, error: DialError)

  /// A connection that came in was given up before it opened.
  func acceptFailed(remote: SocketAddress, reason: CloseReason)

  /// All that this turn brought has been told.
  ///
  /// - Parameter now: monotonic milliseconds.
  func turnEnded(at now: UInt64)

  /// When the next turn must come at the latest, in monotonic milliseconds; nil for no wish.
  var nextDeadline: UInt64? { get }
}

extension ReactorHandler {
  package func linkDrained(_ link: LinkID) {}

  package func acceptFailed(remote: SocketAddress, reason: CloseReason) {}

  package func turnEnded(at now: UInt64) {}

  package var nextDeadline: UInt64? { nil }
}
