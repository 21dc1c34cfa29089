/// What is going to happen, by virtual time; what was scheduled first comes first at equal times.
struct EventQueue<Event> {
  private struct Item {
    let time: UInt64
    let order: UInt64
    /// Where the event is: it stays there, however often the heap is put in order.
    let place: Int

    func precedes(_ other: Item) -> Bool {
      (time, order) < (other.time, other.order)
    }
  }

  /// A binary heap, the earliest first.
  private var heap: [Item] = []
  private var events: [Event?] = []
  private var freePlaces: [Int] = []
  private var scheduled: UInt64 = 0

  var isEmpty: Bool { heap.isEmpty }

  mutating func schedule(_ event: Event, at time: UInt64) {
    let place = freePlaces.popLast() ?? events.count
    if place == events.count { events.append(event) } else { events[place] = event }
    heap.append(Item(time: time, order: scheduled, place: place))
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
    let event = events[first.place].take()!
    freePlaces.append(first.place)
    let last = heap.removeLast()
    guard !heap.isEmpty else { return (first.time, event) }
    heap[0] = last
    var parent = 0
    while true {
      var child = 2 * parent + 1
      if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
      guard child < heap.count, heap[child].precedes(heap[parent]) else { break }
      heap.swapAt(parent, child)
      parent = child
    }
    return (first.time, event)
  }
}
