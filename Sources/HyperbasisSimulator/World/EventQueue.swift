/// What is going to happen, by virtual time; what was scheduled first comes first at equal times.
struct EventQueue<Event> {
  private struct Item {
    let time: UInt64
    let order: UInt64
    let event: Event

    func precedes(_ other: Item) -> Bool {
      (time, order) < (other.time, other.order)
    }
  }

  /// A binary heap, the earliest first.
  private var heap: [Item] = []
  private var scheduled: UInt64 = 0

  var isEmpty: Bool { heap.isEmpty }

  mutating func schedule(_ event: Event, at time: UInt64) {
    heap.append(Item(time: time, order: scheduled, event: event))
    scheduled += 1
    var child = heap.count - 1
    while child > 0, heap[child].precedes(heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// The earliest event, when it is due by `end`.
  mutating func next(before end: UInt64) -> (time: UInt64, event: Event)? {
    guard let first = heap.first, first.time <= end else { return nil }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return (first.time, first.event) }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].precedes(heap[least]) { least = child }
      if least == parent { break }
      heap.swapAt(parent, least)
      parent = least
    }
    return (first.time, first.event)
  }
}
