/// A virtual connection of two peers: two streams of bytes that can be cut at any byte.
final class Wire {
  /// One end: the peer, and the start of it for which the connection was made.
  struct End {
    let node: Int
    let boot: Int
    /// Whether the engine was told of the link.
    var isOpen = false
    /// Whether the engine was told that it ended, or closed it.
    var isClosed = false
  }

  /// The stream from one end to the other.
  struct Stream {
    private(set) var bytes: [UInt8] = []
    private var taken = 0
    /// A delivery is in the event queue.
    var isScheduled = false
    /// The sender closed its end; told after the last byte.
    var isEnding = false
    /// The sender has more and waits for room.
    var isFull = false

    var count: Int { bytes.count - taken }

    mutating func append(_ more: [UInt8]) {
      bytes.append(contentsOf: more)
    }

    mutating func take(_ count: Int) -> [UInt8] {
      if taken == 0 && count == bytes.count {
        defer { bytes = [] }
        return bytes
      }
      defer {
        taken += count
        if taken == bytes.count {
          bytes = []
          taken = 0
        }
      }
      return Array(bytes[taken..<taken + count])
    }
  }

  /// Bytes under way in one direction beyond which no more frames are pulled.
  static let window = 65_536

  let number: Int
  let made: UInt64
  /// The dialling end first.
  var ends: [End]
  /// By sending end.
  var streams = [Stream(), Stream()]
  /// Nothing that is written from now on arrives.
  var isCut = false

  init(number: Int, made: UInt64, ends: [End]) {
    self.number = number
    self.made = made
    self.ends = ends
  }

  func side(of node: Int) -> Int {
    ends[0].node == node ? 0 : 1
  }
}
