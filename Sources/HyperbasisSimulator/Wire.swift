/// A virtual connection of two peers: two streams of bytes that can be cut at any byte.
struct Wire {
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

    var count: Int { bytes.count - taken }

    mutating func append(_ more: [UInt8]) {
      bytes.append(contentsOf: more)
    }

    mutating func take(_ count: Int) -> [UInt8] {
      defer {
        taken += count
        if taken == bytes.count {
          bytes = []
          taken = 0
        }
      }
      return Array(bytes[taken..<taken + count])
    }

    /// Loses all but the first `count` bytes of what is under way.
    mutating func truncate(to count: Int) {
      bytes.removeLast(self.count - count)
    }
  }

  /// Bytes under way in one direction beyond which no more frames are pulled.
  static let window = 65_536

  let made: UInt64
  /// The dialling end first.
  var ends: [End]
  /// By sending end.
  var streams = [Stream(), Stream()]
  /// Nothing that is written from now on arrives.
  var isCut = false

  func side(of node: Int) -> Int {
    ends[0].node == node ? 0 : 1
  }
}
