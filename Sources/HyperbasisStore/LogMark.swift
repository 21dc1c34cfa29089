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
/// Where the file cannot be written there is no mark, and nothing is known.
final class LogMark {
  /// What a log holds.
  struct Reach: Equatable {
    /// The number of its frames.
    var frames: Int
    /// Whether all of them are in the database as well.
    var isInDatabase: Bool
  }

  /// What the last opening left under this start of the system; nil where nothing is known.
  let last: Reach?
  private let descriptor: Int32
  private let log: String

  private static let bytes = 32
  private static let reachOffset = 24

  init?(directory: String, boot: UInt128) {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let opened = open(LogMark.path(in: directory), flags, 0o600)
    guard opened >= 0 else { return nil }
    descriptor = opened
    log = directory + "/store.sqlite-wal"
    var information = stat()
    guard fstat(opened, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      close(opened)
      return nil
    }
    last = LogMark.read(opened, boot: boot, inode: UInt64(information.st_ino))
    var writer = ByteWriter()
    writer.fixed(boot)
    writer.fixed(UInt64(information.st_ino))
    write(writer.bytes, at: 0)
    // Until a commit says more, nothing is known to be there.
    note(last ?? Reach(frames: 0, isInDatabase: true))
  }

  deinit {
    close(descriptor)
  }

  static func path(in directory: String) -> String { directory + "/log-mark" }

  func note(_ reach: Reach) {
    var writer = ByteWriter()
    writer.fixed(UInt32(clamping: reach.frames))
    writer.fixed(reach.isInDatabase ? 1 as UInt32 : 0)
    write(writer.bytes, at: LogMark.reachOffset)
  }

  /// SQLite has all of the log be in the database as it closes that, and takes the log away, unless the disk is full or
  /// somebody else reads.
  func noteClosed() {
    if access(log, F_OK) != 0 { note(Reach(frames: 0, isInDatabase: true)) }
  }

  private func write(_ bytes: [UInt8], at offset: Int) {
    _ = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
  }

  private static func read(_ descriptor: Int32, boot: UInt128, inode: UInt64) -> Reach? {
    var bytes = [UInt8](repeating: 0, count: LogMark.bytes + 1)
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard count == LogMark.bytes else { return nil }
    var reader = ByteReader(Array(bytes.dropLast()))
    guard (try? reader.fixed(UInt128.self)) == boot, (try? reader.fixed(UInt64.self)) == inode,
      let frames = try? reader.fixed(UInt32.self), let flag = try? reader.fixed(UInt32.self)
    else { return nil }
    return Reach(frames: Int(frames), isInDatabase: flag == 1)
  }
}
