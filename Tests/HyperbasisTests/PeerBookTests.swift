import HyperbasisCore
import Testing

@testable import Hyperbasis
@testable import HyperbasisSync

/// Which of the peers that were met are shown.
@Suite struct PeerBookTests {
  private func peer(_ replica: Int, device: Int) -> Peer {
    Peer(
      Hello(
        device: DeviceID(UInt128(device)), replica: ReplicaID(UInt128(replica)), incarnation: 1,
        name: "peer"))
  }

  @Test
  func `a device that went on under another id is shown once, and two that are connected both`() {
    var book = PeerBook()
    book.met(peer(1, device: 7), at: 10)
    book.met(peer(2, device: 7), at: 20)
    book.met(peer(3, device: 8), at: 5)
    func shown(_ connected: Set<UInt128>) -> [UInt128] {
      book.latest { connected.contains($0.bits) }.map(\.peer.replica.bits)
    }
    #expect(shown([]) == [2, 3])
    // Who is there counts, whenever the other one was met.
    #expect(shown([1]) == [1, 3])
    #expect(shown([1, 2]) == [1, 2, 3])
  }
}
