import HyperbasisCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

extension Store {
  /// Writes all of a store, as it is between two commits, to one new file that is on the disk when this
  /// returns.
  ///
  /// It reads by a connection of its own, so that it may run on any thread while the store is open and
  /// written to.
  ///
  /// - Throws: `StoreError.exists` where the file is there already, which is left alone; `full` and
  ///   `notWritable` with the path of the file; nothing is left of it then.
  package static func backup(directory: String, to file: String) throws(StoreError) {
    let source = try Database(
      file: directory + "/store.sqlite", directory: directory, isReadOnly: true)
    try source.execute("PRAGMA busy_timeout = 2000")
    try write(source, to: file)
  }

  /// As ``backup(directory:to:)`` by the store's own connection: for one in memory.
  package func backup(to file: String) throws(StoreError) {
    try Store.write(database, to: file)
  }

  private static func write(_ source: Database, to file: String) throws(StoreError) {
    guard access(file, F_OK) != 0 else { throw .exists(path: file) }
    let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? "."
    guard access(folder, F_OK) == 0 else {
      throw .notWritable(path: file, reason: "there is no folder '\(folder)'; make it first")
    }
    let part = "\(file).part-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    makePrivate(part)
    defer { unlink(part) }
    do throws(StoreError) {
      try Statement("VACUUM INTO ?1", in: source).bind(1, text: part).run()
    } catch {
      switch error {
      case .full: throw .full(path: file)
      case .notWritable(_, let reason): throw .notWritable(path: file, reason: reason)
      default: throw error
      }
    }
    try forgetContinuation(part)
    try sync(part, for: file)
    try name(part, as: file)
    try sync(folder, for: file)
  }

  /// A backup goes on from nothing: what is restored from it is another replica.
  private static func forgetContinuation(_ part: String) throws(StoreError) {
    let copy = try Database(file: part, directory: part)
    try copy.execute("DELETE FROM meta WHERE key = 'continuation'")
  }

  /// Gives a file its name, unless that is taken.
  private static func name(_ part: String, as file: String) throws(StoreError) {
    if link(part, file) == 0 { return }
    guard errno != EEXIST else { throw .exists(path: file) }
    // A file system without links: the name is taken first, and then replaced.
    let reserved = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard reserved >= 0 else {
      if errno == EEXIST { throw .exists(path: file) }
      throw .notWritable(path: file, reason: String(cString: strerror(errno)))
    }
    close(reserved)
    guard rename(part, file) == 0 else {
      let reason = String(cString: strerror(errno))
      unlink(file)
      throw .notWritable(path: file, reason: reason)
    }
  }

  private static func sync(_ path: String, for file: String) throws(StoreError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0, fsync(descriptor) == 0 else {
      let reason = errno
      if descriptor >= 0 { close(descriptor) }
      if reason == ENOSPC { throw .full(path: file) }
      throw .failed(path: file, reason: String(cString: strerror(reason)))
    }
    close(descriptor)
  }
}
