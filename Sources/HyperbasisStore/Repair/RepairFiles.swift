import Foundation

/// The files of a repair, and how they take their places.
///
/// A new store is made in the folder `repair`. That it is whole is told by its name, `repaired-DATE.sqlite`:
/// from then on the repair is completed, by the next opening if need be.
struct RepairFiles {
  let directory: String

  private static let endings = ["-wal", "-shm", ""]
  private static let repaired = "repaired-"
  private static let aside = "damaged-"

  var store: String { directory + "/store.sqlite" }
  var log: String { store + "-wal" }
  /// Where both lie until the new store is whole.
  var folder: String { directory + "/repair" }
  /// The damaged files, copied, so that SQLite writes to none of the old ones.
  var copy: String { folder + "/damaged.sqlite" }
  var new: String { folder + "/store.sqlite" }

  /// - Throws: `StoreError.full`, `notWritable` or `failed`.
  func copyStore() throws(StoreError) {
    discard()
    try doing { files in
      try files.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      for ending in ["-wal", ""] where files.fileExists(atPath: store + ending) {
        try files.copyItem(atPath: store + ending, toPath: copy + ending)
      }
    }
  }

  /// Puts the new store, which must be closed, in the place of the old one; returns where the old files
  /// are then.
  func replace(at date: Date) throws(StoreError) -> [String] {
    let name = unusedName(at: date)
    try sync(new)
    try doing { files in
      try files.moveItem(
        atPath: new, toPath: directory + "/" + RepairFiles.repaired + name + ".sqlite")
    }
    try sync(directory)
    let kept = try complete()
    discard()
    return kept
  }

  /// Completes a repair whose new store is whole; returns where the old files are then.
  @discardableResult
  func complete() throws(StoreError) -> [String] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory),
      let new = names.filter({ $0.hasPrefix(RepairFiles.repaired) && $0.hasSuffix(".sqlite") })
        .max()
    else { return [] }
    let aside = directory + "/" + RepairFiles.aside + new.dropFirst(RepairFiles.repaired.count)
    try doing { files in
      // It tells of the old log.
      try? files.removeItem(atPath: LogMark.path(in: directory))
      for ending in RepairFiles.endings where files.fileExists(atPath: store + ending) {
        try files.moveItem(atPath: store + ending, toPath: aside + ending)
      }
      try files.moveItem(atPath: directory + "/" + new, toPath: store)
    }
    try sync(directory)
    return RepairFiles.endings.reversed().map { aside + $0 }
      .filter { FileManager.default.fileExists(atPath: $0) }
  }

  /// Keeps the log of a killed process, which is damaged, beside the store: a copy of it, or the file itself.
  func setAsideLog(isMoved: Bool, at date: Date = Date()) throws(StoreError) {
    let aside = directory + "/" + RepairFiles.aside + unusedName(at: date) + ".sqlite-wal"
    try doing { files in
      guard files.fileExists(atPath: log) else { return }
      if isMoved {
        try files.moveItem(atPath: log, toPath: aside)
      } else {
        // A disk that is full is not filled with parts.
        do { try files.copyItem(atPath: log, toPath: aside) } catch {
          try? files.removeItem(atPath: aside)
          throw error
        }
      }
    }
  }

  /// Removes what a repair made besides; what cannot be removed does no harm.
  func discard() {
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func unusedName(at date: Date) -> String {
    var seconds = time_t(date.timeIntervalSince1970)
    while true {
      var parts = tm()
      gmtime_r(&seconds, &parts)
      var text = [CChar](repeating: 0, count: 32)
      strftime(&text, text.count, "%Y%m%d-%H%M%S", &parts)
      let name = String(
        decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      let path = directory + "/" + RepairFiles.aside + name + ".sqlite"
      if !FileManager.default.fileExists(atPath: path),
        !FileManager.default.fileExists(atPath: path + "-wal")
      {
        return name
      }
      seconds += 1
    }
  }

  /// Has a file, or the names of a directory, on the disk.
  private func sync(_ path: String) throws(StoreError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0, fsync(descriptor) == 0 else {
      let reason = String(cString: strerror(errno))
      if descriptor >= 0 { close(descriptor) }
      throw .failed(path: directory, reason: "\(path): \(reason)")
    }
    close(descriptor)
  }

  private func doing(_ body: (FileManager) throws -> Void) throws(StoreError) {
    do { try body(.default) } catch {
      let cause = error as? CocoaError
      let system = cause?.userInfo[NSUnderlyingErrorKey] as? POSIXError
      let reason = error.localizedDescription
      if cause?.code == .fileWriteOutOfSpace || system?.code == .ENOSPC {
        throw .full(path: directory)
      }
      if cause?.code == .fileWriteNoPermission || cause?.code == .fileWriteVolumeReadOnly {
        throw .notWritable(path: directory, reason: reason)
      }
      throw .failed(path: directory, reason: reason)
    }
  }
}

extension RepairFiles: DamagedFile {
  func database() throws(StoreError) -> Database {
    try Database(file: copy, directory: directory)
  }

  func replaceFirstPage() throws(StoreError) {
    do {
      let copy = try FileHandle(forUpdating: URL(fileURLWithPath: copy))
      defer { try? copy.close() }
      var page = try FirstPage.new(forFileOf: Int(try copy.seekToEnd()), directory: directory)
      // The copy may have a write-ahead log.
      (page[18], page[19]) = (2, 2)
      try copy.seek(toOffset: 0)
      try copy.write(contentsOf: page)
    } catch let error as StoreError {
      throw error
    } catch {
      throw .failed(path: directory, reason: "\(error)")
    }
  }
}
