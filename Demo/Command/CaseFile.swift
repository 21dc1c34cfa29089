import Foundation
import HyperbasisCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// A file in which a case is kept: a plain file, or none yet. Nothing else is ever replaced.
enum CaseFile {
  /// What stands under a path; a link is not followed.
  enum Standing: Equatable {
    case nothing
    case plainFile
    /// In words.
    case other(String)
  }

  static func standing(_ path: String) -> Standing {
    var information = stat()
    guard lstat(path, &information) == 0 else {
      return errno == ENOENT ? .nothing : .other("a path that cannot be looked at: \(reason)")
    }
    return switch information.st_mode & S_IFMT {
    case S_IFREG: .plainFile
    case S_IFLNK: .other("a symbolic link")
    case S_IFDIR: .other("a directory")
    case S_IFCHR, S_IFBLK: .other("a device")
    case S_IFIFO: .other("a pipe")
    case S_IFSOCK: .other("a socket")
    default: .other("no plain file")
    }
  }

  /// Why a file could not be read as text.
  static func whyUnreadable(_ path: String) -> String {
    if case .other("a directory") = standing(path) { return "it is a directory" }
    return access(path, R_OK) == 0 ? "it is no text" : reason
  }

  /// - Throws: `CommandError` where something else than a plain file stands under the path.
  static func check(_ path: String) throws(CommandError) {
    if case .other(let what) = standing(path) {
      throw CommandError("\(path.quoted) is \(what), and is not replaced")
    }
  }

  /// Writes a file, which appears under its name when it is whole.
  ///
  /// - Throws: `CommandError` when it cannot be written, or would replace what is no plain file.
  static func write(_ text: String, to path: String) throws(CommandError) {
    try check(path)
    let part = "\(path).\(UInt32.random(in: .min ... .max)).part"
    // A new file, so that no link is followed.
    let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw failure(path) }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do { try handle.write(contentsOf: Data(text.utf8)) } catch {
      unlink(part)
      throw CommandError("\(path.quoted) cannot be written")
    }
    guard rename(part, path) == 0 else {
      defer { unlink(part) }
      throw failure(path)
    }
  }

  private static func failure(_ path: String) -> CommandError {
    CommandError("\(path.quoted) cannot be written: \(reason)")
  }

  private static var reason: String { String(cString: strerror(errno)) }
}

extension String {
  /// A path in a message.
  fileprivate var quoted: String { "'\(printable)'" }
}
