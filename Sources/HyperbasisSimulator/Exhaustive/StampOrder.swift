/// Who made the changes of a small world, and in which order their stamps stand.
///
/// The changes stand in ascending order of rank. Equal ranks are a tie of timestamps. Authors are
/// numbered in the order of their replica ids, so all numberings of authors are all orders of ids.
struct StampOrder {
  struct Item: Equatable {
    let author: Int
    /// From 1, by author.
    let sequence: Int
    /// The timestamp, where only comparisons count.
    let rank: Int
  }

  static let authors = 3

  private(set) var items: [Item] = []
  /// How many changes each author made.
  private(set) var counts = [Int](repeating: 0, count: StampOrder.authors)

  /// Whether `left` is the greater write: rank, then author, then sequence.
  static func isGreater(_ left: Item, than right: Item) -> Bool {
    (left.rank, left.author, left.sequence) > (right.rank, right.author, right.sequence)
  }

  /// All orders of `count` edits: the stamps of one author ascend with its sequences.
  ///
  /// An order is a list of steps: at each rank some of the authors make a change, at least one.
  static func edits(_ count: Int) -> [StampOrder] {
    var found: [StampOrder] = []
    extend(StampOrder(), rank: 0, to: count, &found)
    return found
  }

  /// All orders of `count` changes of which some are recorded under times of the past: the stamps of
  /// an author stand in any order, and may be equal.
  static func records(_ count: Int) -> [StampOrder] {
    var found: [StampOrder] = []
    assign(StampOrder(), to: count, &found)
    return found
  }

  private static func extend(
    _ order: StampOrder, rank: Int, to count: Int, _ found: inout [StampOrder]
  ) {
    guard order.items.count < count else { return found.append(order) }
    for authors in 1..<(1 << StampOrder.authors)
    where order.items.count + authors.nonzeroBitCount <= count {
      var next = order
      for author in 0..<StampOrder.authors where authors >> author & 1 == 1 {
        next.append(author: author, rank: rank)
      }
      extend(next, rank: rank + 1, to: count, &found)
    }
  }

  /// Gives each author's changes, the first author's first, a rank; ranks have no gaps in the end.
  private static func assign(_ order: StampOrder, to count: Int, _ found: inout [StampOrder]) {
    guard order.items.count < count else {
      let ranks = Set(order.items.map(\.rank))
      guard ranks.count == (ranks.max() ?? -1) + 1 else { return }
      var sorted = order
      sorted.items.sort { isGreater($1, than: $0) }
      return found.append(sorted)
    }
    for author in (order.items.last?.author ?? 0)..<StampOrder.authors {
      for rank in 0..<count {
        var next = order
        next.append(author: author, rank: rank)
        assign(next, to: count, &found)
      }
    }
  }

  private mutating func append(author: Int, rank: Int) {
    counts[author] += 1
    items.append(Item(author: author, sequence: counts[author], rank: rank))
  }

  /// The index of an author's change.
  func index(author: Int, sequence: Int) -> Int {
    items.firstIndex { $0.author == author && $0.sequence == sequence }!
  }

  /// An order of delivery: the authors in turn beginning with `first`, each with all its changes but
  /// for the last one of `omitted`.
  func delivery(first: Int, omitting omitted: Int) -> [Int] {
    (0..<StampOrder.authors).flatMap { step -> [Int] in
      let author = (first + step) % StampOrder.authors
      let count = counts[author] - (author == omitted ? 1 : 0)
      return (0..<count).map { index(author: author, sequence: $0 + 1) }
    }
  }

  /// How many executions of three replicas have this order of stamps, whichever registers are
  /// written: interleavings of making each change and of delivering it once to each of the other
  /// two, where a change can be made only where all that was received has a lower rank.
  ///
  /// Dynamic programming over how far each replica knows each author.
  var executions: UInt128 {
    var ways: [[Int]: UInt128] = [:]
    return countWays(from: [Int](repeating: 0, count: 9), &ways)
  }

  /// `known[3 * replica + author]` is how far a replica knows an author.
  private func countWays(from known: [Int], _ memo: inout [[Int]: UInt128]) -> UInt128 {
    if let ways = memo[known] { return ways }
    var sum: UInt128 = 0
    var isDone = true
    for replica in 0..<3 {
      for author in 0..<3 where known[3 * replica + author] < counts[author] {
        isDone = false
        guard
          replica == author
            ? canMake(author, known)
            : known[3 * author + author]
              > known[3 * replica + author]
        else { continue }
        var next = known
        next[3 * replica + author] += 1
        sum += countWays(from: next, &memo)
      }
    }
    memo[known] = isDone ? 1 : sum
    return isDone ? 1 : sum
  }

  private func canMake(_ author: Int, _ known: [Int]) -> Bool {
    let rank = items[index(author: author, sequence: known[4 * author] + 1)].rank
    return items.allSatisfy { $0.rank < rank || $0.sequence > known[3 * author + $0.author] }
  }
}
