/// Elements in the order in which they were met: each has a place, a small number by which others name it.
///
/// ```swift
/// var keys = PlaceTable<Key>()
/// keys.insert("color")         // 0
/// keys.place(of: "color")      // 0
/// keys.elements[0]             // "color"
/// ```
///
/// Both are O(1) in the mean. A table of places, of four bytes each, is at most half full; who is not at the place of
/// its hash is behind it. Elements come from strangers, so their hashes have a key that is drawn at start. Source:
/// linear probing, Knuth, "The Art of Computer Programming" 6.4.
struct PlaceTable<Element: Placeable>: Sendable {
  private(set) var elements: [Element] = []
  /// A place and one; 0 where there is none. As many as a power of two.
  private var buckets: [UInt32] = []
  /// Whether there ever were places whose element is told later.
  private var hasReserved = false

  init() {}

  var count: Int { elements.count }

  func place(of element: Element) -> Int? {
    guard !buckets.isEmpty else { return nil }
    let bucket = bucket(of: element)
    return buckets[bucket] == 0 ? nil : Int(buckets[bucket]) - 1
  }

  /// The place of an element, at the end where it is new.
  mutating func insert(_ element: Element) -> Int {
    if 2 * elements.count >= buckets.count { grow() }
    let bucket = bucket(of: element)
    if buckets[bucket] != 0 { return Int(buckets[bucket]) - 1 }
    elements.append(element)
    buckets[bucket] = UInt32(elements.count)
    return elements.count - 1
  }

  /// A place at the end for an element that is told later; until then it has `stand`, and nobody finds it there.
  mutating func reserve(standingFor stand: Element) -> Int {
    hasReserved = true
    elements.append(stand)
    return elements.count - 1
  }

  /// Puts an element in a place that was reserved for it. Returns whether it had none before.
  mutating func tell(_ element: Element, at place: Int) -> Bool {
    if 2 * elements.count >= buckets.count { grow() }
    let bucket = bucket(of: element)
    guard buckets[bucket] == 0 else { return false }
    elements[place] = element
    buckets[bucket] = UInt32(place + 1)
    return true
  }

  /// Where an element is, or the free bucket where it belongs.
  private func bucket(of element: Element) -> Int {
    let mask = buckets.count - 1
    var bucket = Int(truncatingIfNeeded: element.placeHash) & mask
    while buckets[bucket] != 0, elements[Int(buckets[bucket]) - 1] != element {
      bucket = (bucket + 1) & mask
    }
    return bucket
  }

  private mutating func grow() {
    let isTold = hasReserved ? toldPlaces : nil
    buckets = PlaceTable.buckets(for: elements.count + 1)
    let mask = buckets.count - 1
    for (place, element) in elements.enumerated() {
      if let isTold, !isTold[place] { continue }
      var bucket = Int(truncatingIfNeeded: element.placeHash) & mask
      while buckets[bucket] != 0 { bucket = (bucket + 1) & mask }
      buckets[bucket] = UInt32(place + 1)
    }
  }

  /// By place: whether its element is there.
  private var toldPlaces: [Bool] {
    var isTold = [Bool](repeating: false, count: elements.count)
    for bucket in buckets where bucket != 0 { isTold[Int(bucket) - 1] = true }
    return isTold
  }

  private static func buckets(for count: Int) -> [UInt32] {
    var size = 8
    while size < 2 * count { size *= 2 }
    return [UInt32](repeating: 0, count: size)
  }
}

/// What a ``PlaceTable`` can hold.
protocol Placeable: Equatable, Sendable {
  /// With a key of this process: it tells nobody which elements meet.
  var placeHash: UInt64 { get }
}

extension Identifier: Placeable {
  var placeHash: UInt64 {
    WordHash.mixed(
      UInt64(truncatingIfNeeded: bits) ^ PlaceKey.first,
      UInt64(truncatingIfNeeded: bits >> 64) ^ PlaceKey.second)
  }
}

extension Key: Placeable {
  var placeHash: UInt64 {
    var hash = WordHash(seed: PlaceKey.first)
    hash.combine(text)
    return hash.value
  }
}

/// Drawn once in a process, by the seed of Swift's own hashing.
private enum PlaceKey {
  static let first = drawn(1)
  static let second = drawn(2)

  private static func drawn(_ number: Int) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(number)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
