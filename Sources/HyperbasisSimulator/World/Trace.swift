/// What happened, as a running hash and, when it is wanted, as lines.
///
/// A line has five columns, separated by tabs: milliseconds after the start, the peer's number, what
/// happened, a number that says more of it (the other peer, the link, the operation ...), and how many
/// bytes it was about, or `-`.
struct Trace {
  enum Kind: UInt8, CaseIterable {
    case start, operation, dial, opened, frame, bytes, lost, linkEnded, committed, commitFailed,
      read,
      readFailed, blob, cut, crash, stop, partition, clog, clockStep, clockFreeze, slowDisk,
      fullDisk,
      lostTail, restore, clone, mend, heal, blobRefused, wrongClock, renewed
  }

  private(set) var hash = TraceHash()
  /// The last lines; nil where they are not wanted.
  private(set) var lines: [String]?
  private let limit: Int

  /// Keeps the last `lines` lines; none and no work for 0.
  init(lines limit: Int) {
    self.limit = limit
    lines = limit > 0 ? [] : nil
  }

  static let columns = "ms\tpeer\tevent\tnumber\tbytes"

  mutating func note(
    _ kind: Kind, at time: UInt64, _ node: Int, _ number: UInt64, bytes: [UInt8]? = nil
  ) {
    hash.add(time << 16 ^ UInt64(node) << 8 ^ UInt64(kind.rawValue))
    hash.add(number)
    if let bytes { hash.add(bytes) }
    guard lines != nil else { return }
    let size = bytes.map { String($0.count) } ?? "-"
    lines!.append("\(time)\t\(node)\t\(kind)\t\(number)\t\(size)")
    if lines!.count >= 2 * limit { lines!.removeFirst(limit) }
  }
}
