/// What a link numbers, in the order in which it was first named: the last `capacity` of them.
///
/// ```swift
/// ring.add("a"); ring.add("b")
/// ring.number(ofPlace: 0)  // 1: one was added since
/// ```
///
/// A *place* stays as long as what is in it; a *number* counts what was added since, so 0 is the newest. Both
/// ends of a link fill the same ring from the same bytes, and what is named by its number is known to both.
/// When it is full, the oldest makes room.
struct LiveRing<Entry: Sendable>: Sendable {
  private var entries: [Entry] = []
  /// The place of the newest; below 0 when there is none.
  private var newest = -1
  private let capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Returns the place of the new entry, and what it took the place of.
  @discardableResult
  mutating func add(_ entry: Entry) -> (place: Int, forgotten: Entry?) {
    newest += 1
    if newest == capacity { newest = 0 }
    guard entries.count == capacity else {
      entries.append(entry)
      return (newest, nil)
    }
    defer { entries[newest] = entry }
    return (newest, entries[newest])
  }

  /// Precondition: the place was returned by ``add(_:)``.
  subscript(place: Int) -> Entry {
    _read { yield entries[place] }
    _modify { yield &entries[place] }
  }

  func number(ofPlace place: Int) -> Int {
    place <= newest ? newest - place : newest - place + capacity
  }

  /// Nil when there are not so many.
  func place(ofNumber number: UInt64) -> Int? {
    guard number < entries.count else { return nil }
    let place = newest - Int(number)
    return place < 0 ? place + capacity : place
  }
}

/// A ring of ids or texts with the way back from each to its place, as the end needs it that writes.
struct LiveIndex<Name: Hashable & Sendable>: Sendable {
  private var places: [Name: Int] = [:]

  func place(of name: Name) -> Int? {
    places[name]
  }

  /// The name got a place, which another had until now.
  mutating func put(_ name: Name, at place: Int, insteadOf forgotten: Name?) {
    if let forgotten { places[forgotten] = nil }
    places[name] = place
  }
}
