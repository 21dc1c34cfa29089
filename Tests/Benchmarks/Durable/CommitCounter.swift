internal import CSQLite
import Synchronization

/// How many transactions were committed by SQLite in this process, on connections that were opened after ``begin()``.
///
/// The library tells nobody how many saves shared a transaction; its connections call this hook all the same.
enum CommitCounter {
  private static let commits = Atomic(0)

  private typealias Entry =
    @convention(c) (
      OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
    ) -> Int32

  /// Has every connection counted that is opened from now on.
  static func begin() {
    let entry: Entry = { database, _, _ in
      sqlite3_commit_hook(
        database,
        { _ in
          CommitCounter.commits.add(1, ordering: .relaxed)
          return 0
        }, nil)
      return SQLITE_OK
    }
    // SQLite's own documentation asks for this cast: it calls the function with the parameters above.
    sqlite3_auto_extension(unsafeBitCast(entry, to: (@convention(c) () -> Void).self))
  }

  static var count: Int { commits.load(ordering: .relaxed) }
}
