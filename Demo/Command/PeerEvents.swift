import Hyperbasis
import HyperbasisCore
import HyperbasisNet
import HyperbasisSync

/// The lines that `hyperbasis peer` prints.
struct PeerEvents: Sendable {
  let isJSON: Bool

  func ready(port: UInt16, name: String, device: DeviceID) -> String {
    guard isJSON else { return "ready: \(name.shown) listens on port \(port)" }
    return line(
      "ready",
      [("port", .int(Int64(port))), ("name", .string(name)), ("id", .string("\(device)"))])
  }

  func lines(_ news: PeerNews) -> [String] {
    switch news {
    case .event(.connected(let peer)): [self.peer(peer, state: "connected", reason: nil)]
    case .event(.gone(let peer, let farewell)):
      [self.peer(peer, state: "gone", reason: farewell.text)]
    case .event(.changed(let space, let touched, _)): [changed(space, touched)]
    default: PeerReport(news).map { [status($0, news)] } ?? []
    }
  }

  private func peer(_ peer: Peer, state: String, reason: String?) -> String {
    guard isJSON else {
      return "\(peer.name.shown) is \(state)" + (reason.map { ": \($0.printable)" } ?? "")
    }
    return line(
      "peer",
      [
        ("id", .string("\(peer.device)")), ("replica", .string(peer.replica.hex)),
        ("name", .string(peer.name)), ("state", .string(state)),
        ("reason", reason.map(Value.string) ?? .null),
      ])
  }

  private func changed(_ space: SpaceID, _ touched: Touched) -> String {
    let anchors = touched.anchors
    guard isJSON else {
      var what: [String] = []
      if touched.space { what.append("the space itself") }
      if anchors.count == 1 { what.append("anchor \(anchors[0])") }
      if anchors.count > 1 { what.append("\(anchors.count) anchors") }
      return "space \(space): \(what.joined(separator: " and ")) changed"
    }
    return line(
      "changed",
      [
        ("space", .string("\(space)")),
        ("anchors", .array(anchors.map { .string("\($0)") })),
      ])
  }

  private func status(_ item: PeerReport, _ news: PeerNews) -> String {
    guard case .status(let text) = item else { preconditionFailure("only a status comes here") }
    guard isJSON else { return text.printable }
    var entries = [("text", Value.string(text))]
    if case .discovery(let status) = news {
      entries.append(("discovery", .string(status.word)))
    }
    return line("status", entries)
  }

  func dropped(_ count: Int) -> String {
    let text = "\(count) events were dropped: the output is read too slowly"
    return isJSON ? line("status", [("text", .string(text))]) : text
  }

  private func line(_ event: String, _ entries: [(String, Value)]) -> String {
    JSON.write(Report.object([("event", .string(event))] + entries))
  }
}
