import HyperbasisCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// The proof that a store directory is the sole continuation of its log.
///
/// A copy and a restored backup have all that their original had, sequence numbers included, and a disk
/// that lied may lack the last of what it was told to keep. Whoever goes on from there under the same
/// replica id gives numbers a second time. So each opening writes a new random number into the file
/// `continuation` and notes in the database that number, and which file it was: its inode, and when the
/// inode last changed, which no copy can carry over. The next opening must find all of it as noted. When
/// the system was started anew since, the store must have been closed in an orderly way before.
package struct Continuation {
  private let database: Database
  private let path: String
  private let directory: String
  private let boot: UInt128
  private var note: ContinuationNote
  /// Why the store is no continuation; nil when it is, and without meaning for one that was just made.
  let breach: IdentityBreach?

  /// Judges what the last opening left; nothing is written before ``begin()``.
  ///
  /// - Throws: `StoreError` when the database cannot be read.
  init(_ database: Database, directory: String, boot: UInt128) throws(StoreError) {
    self.database = database
    self.directory = directory
    self.boot = boot
    path = directory + "/continuation"
    let last = try Continuation.readNote(from: database)
    let file = Continuation.read(path)
    breach = ContinuationNote.breach(of: last, by: file, boot: boot)
    let none = ContinuationFile(number: 0, inode: 0, changed: 0)
    note = last ?? ContinuationNote(file: none, boot: boot, isClosed: false)
    // The number that counts is the one in the file, should the next opening be interrupted as well.
    if breach == nil, let file { note.file = file }
  }

  /// Whether the file can be written is known before anything is.
  ///
  /// - Throws: `StoreError.notWritable` when it cannot, or is something else than a file.
  func prepare() throws(StoreError) {
    close(try openFile())
  }

  /// Has the file and the note say that the store is open.
  ///
  /// It may be interrupted at any point: until the file's mark is noted, both numbers are known.
  ///
  /// - Throws: `StoreError` when the file or the database cannot be written.
  mutating func begin() throws(StoreError) {
    try renew(isClosed: false)
  }

  /// Notes that all is written: the system may be started anew. What was copied while the store was open
  /// is told from it by the number.
  mutating func end() throws(StoreError) {
    try renew(isClosed: true)
  }

  private mutating func renew(isClosed: Bool) throws(StoreError) {
    let number = UInt128.random(in: 1 ... .max)
    note.next = number
    note.boot = boot
    note.isClosed = false
    try writeNote()
    let file = try write(number)
    note = ContinuationNote(file: file, boot: boot, isClosed: isClosed)
    try writeNote()
  }
}

/// Why a store takes a new replica id.
package enum IdentityBreach: UInt8, Sendable {
  /// The directory, or a part of it, is a copy or a restored backup.
  case copied = 1
  /// The system went down while the store was open: its disk may have lost the last commits.
  case cut = 2
  /// It was damaged, and made anew of what can be read.
  case repaired = 3
  /// Its clock had been far ahead: what no peer takes was written anew.
  case clockWasWrong = 4
  /// Its process was killed, and the log that this left was damaged since: the last commits are lost.
  case logDamaged = 5

  package var word: String {
    switch self {
    case .copied: "copied or restored"
    case .cut: "open when the system went down"
    case .repaired: "repaired"
    case .clockWasWrong: "written to while the clock was far ahead"
    case .logDamaged: "killed, and then its log damaged, so that the last commits are lost"
    }
  }
}

extension Continuation {
  /// The number that the last opening or closing wrote; nil where there is none.
  static func number(in directory: String) -> UInt128? { read(directory + "/continuation")?.number }

  /// What the database file notes of it, without its log; nil where that cannot be read.
  static func number(inDatabaseOf directory: String) -> UInt128? {
    let database = try? Database(alone: directory + "/store.sqlite", directory: directory)
    return database.flatMap { try? readNote(from: $0) }?.file.number
  }
}

// MARK: The note

extension Continuation {
  /// Nil where there is none that can be read: nothing is proved then.
  private static func readNote(
    from database: Database
  ) throws(StoreError) -> ContinuationNote? {
    let select = try Statement("SELECT value FROM meta WHERE key = 'continuation'", in: database)
    guard try select.step() else { return nil }
    defer { select.reset() }
    return ContinuationNote(select.bytes(0))
  }

  private func writeNote() throws(StoreError) {
    let put = try Statement(
      "INSERT OR REPLACE INTO meta (key, value) VALUES ('continuation', ?1)", in: database)
    try put.bind(1, note.bytes).run()
  }
}

// MARK: The file

extension stat {
  /// When the inode last changed, in nanoseconds since 1970.
  fileprivate var changed: UInt64 {
    #if canImport(Glibc)
      let time = st_ctim
    #else
      let time = st_ctimespec
    #endif
    return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }
}

extension Continuation {
  /// Nil when the file is not there or is none of ours.
  private static func read(_ path: String) -> ContinuationFile? {
    // What is no file must not be waited for.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var information = stat()
    guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: 17)
    let count = bytes.withUnsafeMutableBytes { readBytes(descriptor, $0.baseAddress, $0.count) }
    return ContinuationFile(
      Array(bytes[..<max(0, count)]), inode: UInt64(information.st_ino),
      changed: information.changed)
  }

  /// Writes the file in place, so that it stays the same one; it is on the disk when this returns.
  private func write(_ number: UInt128) throws(StoreError) -> ContinuationFile {
    var writer = ByteWriter()
    writer.fixed(number)
    let descriptor = try openFile()
    defer { close(descriptor) }
    var information = stat()
    guard writer.bytes.withUnsafeBytes({ pwrite(descriptor, $0.baseAddress, 16, 0) }) == 16,
      ftruncate(descriptor, 16) == 0, fsync(descriptor) == 0, fstat(descriptor, &information) == 0
    else { throw failure() }
    return ContinuationFile(
      number: number, inode: UInt64(information.st_ino), changed: information.changed)
  }

  private func openFile() throws(StoreError) -> Int32 {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let descriptor = open(path, flags, 0o600)
    guard descriptor >= 0 else { throw failure() }
    var information = stat()
    guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .notWritable(path: directory, reason: "'\(path)' is no file; remove it")
    }
    return descriptor
  }

  private func failure() -> StoreError {
    errno == ENOSPC || errno == EDQUOT
      ? .full(path: directory)
      : .notWritable(path: directory, reason: String(cString: strerror(errno)))
  }

  /// The number that the system draws at each of its starts; a random one where it tells none, which
  /// makes every start look like another.
  package static let bootNumber: UInt128 = {
    #if canImport(Glibc)
      let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return .random(in: 1 ... .max) }
      defer { close(descriptor) }
      var bytes = [UInt8](repeating: 0, count: 64)
      let count = bytes.withUnsafeMutableBytes { readBytes(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return .random(in: 1 ... .max) }
      return Digest(of: Array(bytes[..<count])).bits
    #else
      var bytes = [UInt8](repeating: 0, count: 64)  // Not compiled here.
      var count = bytes.count
      guard sysctlbyname("kern.bootsessionuuid", &bytes, &count, nil, 0) == 0 else {
        return .random(in: 1 ... .max)
      }
      return Digest(of: Array(bytes[..<count])).bits
    #endif
  }()
}

/// `read(2)`, whose name is taken inside `Continuation`.
private func readBytes(_ descriptor: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int) -> Int
{
  read(descriptor, start, count)
}
