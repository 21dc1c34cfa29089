import HyperbasisCore
import Testing

@testable import HyperbasisStore

struct RemainsTests {
  @Test("H19 what is left of a space names no more replicas than a state can hold")
  func replicas() {
    let stamps = (1...4 as ClosedRange<UInt128>).map {
      Stamp(timestamp: .zero, dot: Dot(replica: ReplicaID($0), sequence: 1))
    }
    var remains = SpaceRemains(id: SpaceID(1))
    remains.cells = stamps[0...1].map { Cell(operation: .name("a"), stamp: $0) }
    remains.changes = stamps[1...3].map { Change(stamp: $0, operations: [.name("b")]) }
    var all = remains
    let isBeyond = all.limitReplicas(to: 4)
    #expect(!isBeyond && all.cells.count == 2 && all.changes.count == 3)
    let isMore = remains.limitReplicas(to: 3)
    #expect(isMore && remains.cells.count == 2)
    #expect(remains.changes.map(\.dot.replica) == [ReplicaID(2), ReplicaID(3)])
  }
}
