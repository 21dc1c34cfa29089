import CSQLite
import Foundation
import Testing

@testable import Hyperbasis

extension PeerDirectory {
  /// Runs SQL on the file of a storage that is not open.
  func execute(_ sql: String, _ name: String) throws {
    var handle: OpaquePointer?
    sqlite3_open(path(name) + "/store.sqlite", &handle)
    defer { sqlite3_close(handle) }
    try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
  }
}

/// The failure with which a call of a storage ends.
nonisolated(nonsending) func storeFailure(_ body: () async throws -> Void) async -> HBStoreFailure?
{
  do { try await body() } catch HBStorageError.fileOperationFailed(let cause) {
    return cause as? HBStoreFailure
  } catch {
    return nil
  }
  return nil
}

/// The first element; nil where none comes within five seconds.
func first<Element: Sendable>(of updates: HBUpdates<Element>) async -> Element? {
  await firstOrEnd(of: updates).element
}

/// Whether it ends, within five seconds, before it had anything.
func endsAtOnce(_ updates: HBUpdates<some Sendable>) async -> Bool {
  let read = await firstOrEnd(of: updates)
  return read.element == nil && !read.isLate
}

private func firstOrEnd<Element: Sendable>(
  of updates: HBUpdates<Element>
) async -> (element: Element?, isLate: Bool) {
  let reading = Task {
    let element = await updates.first { _ in true }
    return (element: element, isLate: Task.isCancelled)
  }
  let timer = Task {
    try await Task.sleep(for: .seconds(5))
    reading.cancel()
  }
  defer { timer.cancel() }
  return await reading.value
}
