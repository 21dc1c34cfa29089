import Foundation

/// A directory of this process for targets that read files, beside those of others in `TMPDIR`.
///
/// It is left behind when the process ends: who starts one gives it a `TMPDIR` and removes that.
struct Folder: Sendable {
  let path: String

  init(
    _ folders: [String] = [], in parent: String = FileManager.default.temporaryDirectory.path
  ) throws {
    path = parent + "/hyperbasis-fuzz-" + UUID().uuidString
    for folder in [""] + folders {
      try FileManager.default.createDirectory(
        atPath: "\(path)/\(folder)", withIntermediateDirectories: true)
    }
  }

  /// Makes, replaces or removes a file; one that is replaced stays the same file.
  func write(_ bytes: [UInt8]?, to file: String) throws {
    let file = "\(path)/\(file)"
    guard let bytes else {
      unlink(file)
      return
    }
    let descriptor = open(file, O_WRONLY | O_CREAT, 0o600)
    try expect(descriptor >= 0, "\(file) can be written")
    defer { close(descriptor) }
    let isWritten =
      write(descriptor, bytes, bytes.count) == bytes.count
      && ftruncate(descriptor, bytes.count) == 0
    try expect(isWritten, "\(file) has room")
  }

  private func write(_ descriptor: Int32, _ bytes: [UInt8], _ count: Int) -> Int {
    Foundation.write(descriptor, bytes, count)
  }
}
