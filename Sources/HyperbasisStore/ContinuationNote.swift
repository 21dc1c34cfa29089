import HyperbasisCore

/// What the database has under the key `continuation`: how the last opening left the file of that name.
package struct ContinuationNote: Equatable, Sendable {
  package var file: ContinuationFile
  /// The number of an opening that is under way; else 0.
  package var next: UInt128
  /// Of the start of the system under which the store was open.
  package var boot: UInt128
  package var isClosed: Bool

  package init(file: ContinuationFile, next: UInt128 = 0, boot: UInt128, isClosed: Bool) {
    (self.file, self.next, self.boot, self.isClosed) = (file, next, boot, isClosed)
  }

  /// Nil for other bytes than a note's: nothing is proved then.
  package init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let number = try? reader.fixed(UInt128.self), let next = try? reader.fixed(UInt128.self),
      let inode = try? reader.fixed(UInt64.self), let changed = try? reader.fixed(UInt64.self),
      let boot = try? reader.fixed(UInt128.self), let isClosed = try? reader.byte(), isClosed <= 1,
      (try? reader.finish()) != nil
    else { return nil }
    self.init(
      file: ContinuationFile(number: number, inode: inode, changed: changed), next: next,
      boot: boot, isClosed: isClosed == 1)
  }

  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.fixed(file.number)
    writer.fixed(next)
    writer.fixed(file.inode)
    writer.fixed(file.changed)
    writer.fixed(boot)
    writer.byte(isClosed ? 1 : 0)
    return writer.bytes
  }

  /// Why a store is no continuation of the last opening, by the file that is found and the system's present
  /// start; nil when it is one.
  package static func breach(
    of last: ContinuationNote?, by file: ContinuationFile?, boot: UInt128
  ) -> IdentityBreach? {
    guard let last, let file else { return .copied }
    let isNext =
      last.next != 0 && file.number == last.next && file.inode == last.file.inode
    guard file == last.file || isNext else { return .copied }
    return last.isClosed || last.boot == boot ? nil : .cut
  }
}

/// Which file it is, in which version, and the number in it: no copy has the inode of its original and the time
/// of its last change.
package struct ContinuationFile: Equatable, Sendable {
  package var number: UInt128
  package var inode: UInt64
  /// When the inode last changed, in nanoseconds since 1970 as the file system tells.
  package var changed: UInt64

  package init(number: UInt128, inode: UInt64, changed: UInt64) {
    (self.number, self.inode, self.changed) = (number, inode, changed)
  }

  /// Nil where the bytes are none of such a file.
  package init?(_ bytes: [UInt8], inode: UInt64, changed: UInt64) {
    var reader = ByteReader(bytes)
    guard let number = try? reader.fixed(UInt128.self), (try? reader.finish()) != nil else {
      return nil
    }
    self.init(number: number, inode: inode, changed: changed)
  }
}
