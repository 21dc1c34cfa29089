import HyperbasisCore
import HyperbasisNet
import HyperbasisStore
import HyperbasisSync

extension PeerLoop {
  /// The whole changes of a space that are durable, ascending by stamp. O(n log n) in their number.
  ///
  /// While a peer's history comes in there may be fewer of them than the state covers.
  package func changes(of space: SpaceID) throws(PeerError) -> [Change] {
    _ = try state(of: space)
    do { return try store.changes(of: space) } catch { throw PeerError(error) }
  }

  /// Those that write to one anchor; none for an anchor that is not known.
  package func changes(
    of space: SpaceID, anchor: AnchorID
  ) throws(PeerError) -> [Change] {
    guard let slot = try state(of: space).slotNumber(of: anchor) else { return [] }
    do { return try store.changes(of: space, slot: slot) } catch { throw PeerError(error) }
  }

  // MARK: Peers

  /// Reads a part of a history for each link that waits for one and has sent all else, so that an edit
  /// waits for one part at most. The links that can take more get it in the next turn.
  func serveHistory() {
    for link in engine.linkIDs where isIdle(link) {
      guard let read = engine.nextHistoryRead(for: link, at: .current) else { continue }
      do {
        let changes = try store.changes(
          of: read.space, after: read.after, upTo: read.upTo, bytes: read.bytes)
        engine.supply(changes, for: read, on: link)
        while let frame = engine.nextFrame(for: link, at: .current, takesBlobs: false) {
          reactor.send(frame, on: HyperbasisNet.LinkID(link))
        }
      } catch {
        engine.postpone(read, on: link, at: .current)
        complain("history cannot be read: \(error)")
      }
    }
  }

  /// Whether the next turn has history to read without waiting for anything.
  var hasHistoryToServe: Bool {
    engine.linkIDs.contains { isIdle($0) && engine.wantsHistoryRead(for: $0, at: .current) }
  }

  private func isIdle(_ link: HyperbasisSync.LinkID) -> Bool {
    reactor.unsentBytes(HyperbasisNet.LinkID(link)) == 0
  }
}
