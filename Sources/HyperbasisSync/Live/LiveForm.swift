import HyperbasisCore

/// What both ends of a link remember of one author in one space.
struct LiveSource: Hashable, Sendable {
  /// The space and the author.
  struct Name: Hashable, Sendable {
    let space: SpaceID
    let author: ReplicaID
  }

  let name: Name
  /// The last sequence that was sent.
  var sequence: UInt64 = 0
  /// The last timestamp.
  var timestamp = Timestamp.zero
}

/// What both ends of a link remember of one anchor.
struct LiveAnchor: Sendable {
  let id: AnchorID
  /// The last one that was sent since the anchor has its number.
  var transform: Transform?
}

/// The bits of the first byte of a live change: what differs from what is most common, and so follows.
struct LiveHead: OptionSet {
  let rawValue: UInt8

  /// Another source than that of the change before.
  static let source = LiveHead(rawValue: 1)
  /// A sequence that is not the next of the source.
  static let sequence = LiveHead(rawValue: 2)
  /// A time in parts of a 256th of a millisecond.
  static let fineTime = LiveHead(rawValue: 4)
  /// A date that is not that of the timestamp.
  static let date = LiveHead(rawValue: 8)
  /// Another number of operations than one.
  static let count = LiveHead(rawValue: 16)

  static let all: LiveHead = [.source, .sequence, .fineTime, .date, .count]
}

/// The bits of the first byte of a live operation, whose lower five are its kind.
enum LiveOperation {
  static let kindMask: UInt8 = 0x1F
  /// The anchor of the operation before.
  static let sameAnchor: UInt8 = 0x20
  /// Of a transform: the numbers that differ are those of the transform before.
  static let sameMask: UInt8 = 0x40
}

extension Transform {
  /// The bits of the 16 numbers.
  var bits: SIMD16<UInt32> { unsafeBitCast(elements, to: SIMD16<UInt32>.self) }
}
