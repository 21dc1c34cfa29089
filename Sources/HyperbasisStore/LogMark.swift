import HyperbasisCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// How far the write-ahead log reached at the last commit, in a file beside it.
///
/// A process that is killed leaves its log, and SQLite reads that as far as it is sound: what lies behind a damaged byte
/// is lost without a word, and its sequence numbers would be given a second time. So each commit tells here how many
/// frames the log has. That is not synced, and need not be: after a kill the system has it, and after a power cut
/// the store takes a new replica id anyway. A copy of the file is none: it is another file.
///
/// Where the file cannot be written there is no mark, and nothing is known: a mark of an earlier opening has another
/// opening's number. A log that is another one than the mark tells of is not this store's.
final class LogMark {
  /// What a log holds.
  struct Reach: Equatable {
    /// The number of its frames.
    var frames: Int
    /// Whether all of them are in the database as well.
    var isInDatabase: Bool
    /// Which log it is: what its header has at 16, drawn anew each time that it begins anew.
    var salts: UInt64 = 0

    /// Whether a log may be this one as it is, or the one that began behind it.
    func isFollowed(by other: UInt64) -> Bool {
      frames > 0
        && (salts == other
          || isInDatabase
            && UInt32(truncatingIfNeeded: other >> 32)
              == UInt32(truncatingIfNeeded: salts >> 32) &+ 1)
    }
  }

  /// What the last opening left under this start of the system, and the number that it wrote into `continuation`; nil
  /// where nothing is known.
  let last: (reach: Reach, number: UInt128)?
  private let descriptor: Int32
  private let directory: String
  private let boot: UInt128
  private let inode: UInt64
  /// What was told by this opening; nil until it began.
  private var told: (reach: Reach, number: UInt128)?

  private var log: String { directory + "/store.sqlite-wal" }
  private static let bytes = 56

  init?(directory: String, boot: UInt128) {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let opened = open(LogMark.path(in: directory), flags, 0o600)
    guard opened >= 0 else { return nil }
    (descriptor, self.directory, self.boot) = (opened, directory, boot)
    var information = stat()
    guard fstat(opened, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      close(opened)
      return nil
    }
    inode = UInt64(information.st_ino)
    last = LogMark.read(opened, boot: boot, inode: inode)
  }

  deinit {
    close(descriptor)
  }

  static func path(in directory: String) -> String { directory + "/log-mark" }

  /// The store is open under this number, and the database has all of the log: from now on each commit is told. What the
  /// last opening left counts until then.
  func begin(number: UInt128) {
    let found = WriteAheadLog.found(at: log)
    tell(Reach(frames: found.frames, isInDatabase: true, salts: found.salts), number)
  }

  func note(frames: Int, isInDatabase: Bool) {
    guard let told else { return }
    // It may have begun anew with any commit, of as many frames as there were or more.
    let salts = frames == 0 ? 0 : WriteAheadLog.salts(at: log)
    tell(Reach(frames: frames, isInDatabase: isInDatabase, salts: salts), told.number)
  }

  /// SQLite has all of the log be in the database as it closes that, and takes the log away, unless the disk is full or
  /// somebody else reads.
  func noteClosed(number: UInt128?) {
    guard let told, access(log, F_OK) != 0 else { return }
    tell(Reach(frames: 0, isInDatabase: true), number ?? told.number)
  }

  func tell(_ reach: Reach, _ number: UInt128) {
    told = (reach, number)
    var writer = ByteWriter()
    writer.fixed(boot)
    writer.fixed(inode)
    writer.fixed(UInt32(clamping: reach.frames))
    writer.fixed(reach.isInDatabase ? 1 as UInt32 : 0)
    writer.fixed(reach.salts)
    writer.fixed(number)
    _ = writer.bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }

  private static func read(
    _ descriptor: Int32, boot: UInt128, inode: UInt64
  ) -> (reach: Reach, number: UInt128)? {
    var bytes = [UInt8](repeating: 0, count: LogMark.bytes + 1)
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard count == LogMark.bytes else { return nil }
    var reader = ByteReader(Array(bytes.dropLast()))
    guard (try? reader.fixed(UInt128.self)) == boot, (try? reader.fixed(UInt64.self)) == inode,
      let frames = try? reader.fixed(UInt32.self), let flag = try? reader.fixed(UInt32.self),
      let salts = try? reader.fixed(UInt64.self), let number = try? reader.fixed(UInt128.self)
    else { return nil }
    return (Reach(frames: Int(frames), isInDatabase: flag == 1, salts: salts), number)
  }
}
