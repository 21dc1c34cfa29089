import Foundation

/// What SQLite will find of a write-ahead log when it opens the database: it reads as far as the checksums hold, and
/// tells nobody where that is short of the end.
///
/// Source: SQLite's "WAL-mode File Format".
enum WriteAheadLog {
  private static let headerBytes = 32
  private static let frameHeaderBytes = 24

  /// Which log it is, and its frames; none and 0 where nothing of it is sound.
  static func found(at path: String) -> (frames: Int, salts: UInt64) {
    let frames = frames(at: path)
    return (frames, frames == 0 ? 0 : salts(at: path))
  }

  /// What its header has at 16; 0 where there is none.
  static func salts(at path: String) -> UInt64 {
    guard let file = FileHandle(forReadingAtPath: path) else { return 0 }
    defer { try? file.close() }
    guard let header = try? file.read(upToCount: headerBytes), header.count == headerBytes else {
      return 0
    }
    return header.withUnsafeBytes { UInt64($0.word(at: 16)) << 32 | UInt64($0.word(at: 20)) }
  }

  /// The number of frames up to the last whole transaction; 0 where there is no log, or one without a header. O(bytes).
  static func frames(at path: String) -> Int {
    guard let bytes = try? Data(contentsOf: URL(fileURLWithPath: path)) else { return 0 }
    return bytes.withUnsafeBytes { frames(in: $0) }
  }

  private static func frames(in log: UnsafeRawBufferPointer) -> Int {
    guard log.count >= headerBytes, log.word(at: 0) & ~1 == 0x377f_0682 else { return 0 }
    let isBig = log.word(at: 0) & 1 == 1
    let pageBytes = Int(log.word(at: 8))
    var sum = Checksum()
    sum.add(log, 0..<24, isBig: isBig)
    guard pageBytes >= 512, pageBytes <= 65_536, pageBytes & (pageBytes - 1) == 0,
      sum == Checksum(log.word(at: 24), log.word(at: 28))
    else { return 0 }
    var (frames, whole) = (0, 0)
    var place = headerBytes
    while place + frameHeaderBytes + pageBytes <= log.count {
      sum.add(log, place..<place + 8, isBig: isBig)
      sum.add(log, place + frameHeaderBytes..<place + frameHeaderBytes + pageBytes, isBig: isBig)
      // Of an earlier round there are other salts.
      guard log.word(at: place + 8) == log.word(at: 16),
        log.word(at: place + 12) == log.word(at: 20), log.word(at: place) != 0,
        sum == Checksum(log.word(at: place + 16), log.word(at: place + 20))
      else { break }
      frames += 1
      if log.word(at: place + 4) != 0 { whole = frames }
      place += frameHeaderBytes + pageBytes
    }
    return whole
  }
}

/// The running checksum of a log.
private struct Checksum: Equatable {
  private var first: UInt32 = 0
  private var second: UInt32 = 0

  init() {}

  init(_ first: UInt32, _ second: UInt32) {
    (self.first, self.second) = (first, second)
  }

  /// Adds bytes, in pairs of words.
  mutating func add(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, isBig: Bool) {
    for place in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
      let (one, two) = (bytes.word(at: place), bytes.word(at: place + 4))
      first &+= (isBig ? one : one.byteSwapped) &+ second
      second &+= (isBig ? two : two.byteSwapped) &+ first
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Four bytes, the highest first.
  fileprivate func word(at place: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: place, as: UInt32.self))
  }
}
