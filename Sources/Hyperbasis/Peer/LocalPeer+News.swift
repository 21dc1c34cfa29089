import Foundation
import HyperbasisCore
import HyperbasisNet
import HyperbasisSync

/// What happened at a peer, in the order in which it became durable.
package enum PeerReport: Equatable, Sendable {
  case connected(name: String, device: UUID)
  /// The last link to the peer ended; `reason` is one line.
  case gone(name: String, device: UUID, reason: String)
  /// Anchors of a space changed here or at a peer; empty when only its name did.
  case changed(space: UUID, anchors: [UUID])
  /// Discovery changed, clocks differ, something failed: one line for people.
  case status(String)
}

extension LocalPeer {
  /// News from now on.
  ///
  /// ```swift
  /// for await case .changed(let space, let anchors) in peer.news() { show(space, anchors) }
  /// ```
  ///
  /// It ends when the peer is stopped. A reader that falls 4,096 items behind loses the oldest.
  package func news() -> AsyncStream<PeerReport> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PeerReport.self, bufferingPolicy: .bufferingNewest(4_096))
    let loop = loop
    let isAccepted = post {
      let number = loop.observe(
        { news in
          if let item = PeerReport(news) { continuation.yield(item) }
        }, finish: { continuation.finish() })
      continuation.onTermination = { [weak self] _ in
        self?.post { loop.forget(observer: number) }
      }
    }
    if !isAccepted { continuation.finish() }
    return stream
  }
}

extension PeerReport {
  /// Nil for what concerns single links only.
  package init?(_ news: PeerNews) {
    switch news {
    case .event(.connected(let peer)):
      self = .connected(name: peer.name, device: UUID(peer.device))
    case .event(.gone(let peer, let farewell)):
      self = .gone(name: peer.name, device: UUID(peer.device), reason: farewell.text)
    case .event(.changed(let space, let touched, _)):
      self = .changed(space: UUID(space), anchors: touched.anchors.map { UUID($0) })
    case .event(.diverged(let space, let peer)):
      self = .status("space \(space) differs from that of \(peer.name.shown): please report this")
    case .event(.linkEnded(_, _, let farewell)) where farewell.reason.concernsPeople:
      self = .status(farewell.text)
    case .event: return nil
    case .cleared: return nil
    case .discovery(let status): self = .status(status.description)
    case .notice(let text): self = .status(text)
    }
  }
}

extension Farewell.Reason {
  /// Whether somebody has to do something about it.
  var concernsPeople: Bool {
    switch self {
    case .version, .clock, .identity, .malformed, .storage, .busy: true
    case .leaving, .duplicate, .ownself, .silent: false
    }
  }
}

extension LocalPeer {
  /// Calls `tell` with all news, on the peer's thread; it must not block.
  package func observe(_ tell: @escaping @Sendable (PeerNews) -> Void) {
    let loop = loop
    post { _ = loop.observe(tell) }
  }
}

extension DiscoveryStatus {
  /// A word for scripts.
  package var word: String {
    switch self {
    case .starting: "starting"
    case .running: "running"
    case .unavailable: "unavailable"
    case .stopped: "stopped"
    }
  }
}
