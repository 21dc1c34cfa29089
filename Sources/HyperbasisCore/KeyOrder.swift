/// The order of keys by their texts, as numbers: fields of an anchor are put in order without looking at texts.
///
/// Few keys are all ranked; of many, those that came since the last ranking are not, until they are as many as those before
/// them. So ranking costs O(log n) a key in the mean.
struct KeyOrder: Sendable {
  /// By the place of a key.
  private var ranks: [UInt32] = []
  private static let few = 64

  /// Follows a table that keys were added to.
  mutating func follow(_ keys: PlaceTable<Key>) {
    guard keys.count > ranks.count, keys.count <= KeyOrder.few || keys.count >= 2 * ranks.count
    else { return }
    let order = keys.elements.indices.sorted { keys.elements[$0] < keys.elements[$1] }
    ranks = Array(repeating: 0, count: keys.count)
    for (rank, place) in order.enumerated() { ranks[place] = UInt32(rank) }
  }

  /// Whether one key, by its place, comes before another.
  func areInOrder(_ first: Int, _ second: Int, of keys: PlaceTable<Key>) -> Bool {
    first < ranks.count && second < ranks.count
      ? ranks[first] < ranks[second] : keys.elements[first] < keys.elements[second]
  }
}
