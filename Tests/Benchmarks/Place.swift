import Foundation

/// Where a workload finds the traces, and where its files go: on the disk that is measured.
struct Place {
  let traces: String
  /// What is made once and used by later runs.
  let kept: URL
  /// Of this process alone, until ``clear()``.
  private let own: URL

  /// - Throws: what the file system says.
  init(traces: String, files: String) throws {
    self.traces = traces
    kept = URL(fileURLWithPath: files, isDirectory: true)
    own = kept.appendingPathComponent("run-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
  }

  /// A directory that is not there yet.
  func fresh(_ name: String) -> URL {
    own.appendingPathComponent(name, isDirectory: true)
  }

  func clear() {
    try? FileManager.default.removeItem(at: own)
  }
}
