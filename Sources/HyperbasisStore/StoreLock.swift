#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// The right to write to a store directory, held by one opener at a time.
///
/// The system releases it when the process ends, however it ends.
final class StoreLock {
  private let descriptor: Int32

  /// - Throws: `StoreError.inUse`, or `notWritable` when the lock file cannot be opened.
  init(directory: String) throws(StoreError) {
    let path = directory + "/lock"
    let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard opened >= 0 else {
      throw .notWritable(path: directory, reason: String(cString: strerror(errno)))
    }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      let reason = errno
      close(opened)
      if reason == EWOULDBLOCK { throw .inUse(path: directory) }
      throw .failed(path: directory, reason: String(cString: strerror(reason)))
    }
    descriptor = opened
  }

  deinit {
    close(descriptor)
  }
}

/// Makes an empty file that the user alone may read, where none is; SQLite gives its other files the
/// same mode. What hinders it hinders SQLite as well, which then says so.
func makePrivate(_ path: String) {
  let made = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
  if made >= 0 { close(made) }
}

/// Makes the directory and its parents where they are missing, readable by the user alone.
///
/// - Throws: `StoreError.notADirectory` or `cannotCreate`.
func makeDirectory(_ path: String) throws(StoreError) {
  var information = stat()
  if stat(path, &information) == 0 {
    guard information.st_mode & S_IFMT == S_IFDIR else { throw .notADirectory(path: path) }
    return
  }
  switch errno {
  case ENOENT: break
  case ENOTDIR: throw .notADirectory(path: path)
  default: throw .cannotCreate(path: path, reason: String(cString: strerror(errno)))
  }
  if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
    try makeDirectory(String(path[..<slash]))
  }
  guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
    throw .cannotCreate(path: path, reason: String(cString: strerror(errno)))
  }
}
