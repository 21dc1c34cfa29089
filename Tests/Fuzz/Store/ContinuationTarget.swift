import HyperbasisStore

/// The proof of continuation: its note in the database, and the file of that name.
///
/// The first byte says what of the file is as the note has it; then come the note, what the file is else, and the
/// start of the system.
enum ContinuationTarget: FuzzTarget {
  static let name = "continuation"

  static func seeds() -> [[UInt8]] {
    let file = ContinuationFile(number: 7, inode: 8, changed: 9)
    var seeds: [[UInt8]] = []
    for (next, isClosed) in [(UInt128(0), true), (UInt128(0), false), (UInt128(5), false)] {
      let note = ContinuationNote(file: file, next: next, boot: 3, isClosed: isClosed)
      for first in UInt8(0)..<32 {
        var writer = FeedWriter()
        writer.byte(first)
        writer.piece(note.bytes)
        seeds.append(writer.bytes)
      }
    }
    return seeds
  }

  static func run(_ bytes: [UInt8]) throws {
    var feed = Feed(bytes)
    let same = Same(rawValue: feed.byte())
    let noteBytes = feed.piece()
    let note = ContinuationNote(noteBytes)
    try expect(
      note == nil || note?.bytes == noteBytes, "a note is written as it was read")
    var boot = UInt128(feed.number())
    let (inode, changed) = (feed.number(), feed.number())
    var file = ContinuationFile(Array(feed.rest), inode: inode, changed: changed)
    try expect((file == nil) == (feed.rest.count != 16), "a file has 16 bytes")
    if let note {
      if same.contains(.boot) { boot = note.boot }
      if same.contains(.number) {
        file = ContinuationFile(number: note.file.number, inode: inode, changed: changed)
      } else if same.contains(.next) {
        file = ContinuationFile(number: note.next, inode: inode, changed: changed)
      }
      if same.contains(.inode) { file?.inode = note.file.inode }
      if same.contains(.changed) { file?.changed = note.file.changed }
    }
    try check(ContinuationNote.breach(of: note, by: file, boot: boot), note, file, boot)
  }

  private static func check(
    _ breach: IdentityBreach?, _ note: ContinuationNote?, _ file: ContinuationFile?, _ boot: UInt128
  ) throws {
    guard let note, let file else {
      return try expect(breach == .copied, "without both nothing is proved")
    }
    if file.inode != note.file.inode {
      try expect(breach == .copied, "another file is a copy")
    }
    if file.number != note.file.number, file.number != note.next {
      try expect(breach == .copied, "a number that was not drawn is a copy's")
    }
    if file.changed != note.file.changed, file.number != note.next || note.next == 0 {
      try expect(breach == .copied, "a file that was written since is a copy's")
    }
    if file == note.file, note.isClosed {
      try expect(breach == nil, "what was closed and left alone goes on")
    }
    if boot != note.boot, !note.isClosed {
      try expect(breach != nil, "what was open when the system went down does not go on")
    }
    try expect(breach == nil || breach == .copied || breach == .cut, "the reason is one of these")
  }

  /// What of the file is as in the note.
  private struct Same: OptionSet {
    let rawValue: UInt8
    static let number = Same(rawValue: 1)
    static let next = Same(rawValue: 2)
    static let inode = Same(rawValue: 4)
    static let changed = Same(rawValue: 8)
    static let boot = Same(rawValue: 16)
  }
}
