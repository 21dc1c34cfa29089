/// A reader of bytes from outside, with what must hold whatever they are.
///
/// ```swift
/// try ValueTarget.run([3, 6])
/// ```
///
/// A reader that traps, loops or takes memory without bound is found by the fuzzer itself.
protocol FuzzTarget: Sendable {
  /// As on the command line, and in the names of corpus and fixtures.
  static var name: String { get }

  /// Inputs to begin with: what the writers write.
  static func seeds() throws -> [[UInt8]]

  /// Reads the bytes once.
  ///
  /// - Throws: `Finding`, or another error, when something does not hold. Bytes that the reader
  ///   refuses are no error.
  static func run(_ bytes: [UInt8]) throws
}

/// What does not hold.
struct Finding: Error, CustomStringConvertible {
  let description: String
}

/// - Throws: `Finding` unless it holds.
func expect(_ holds: Bool, _ what: @autoclosure () -> String) throws(Finding) {
  guard holds else { throw Finding(description: what()) }
}

/// Every target, the fast ones first.
let fuzzTargets: [any FuzzTarget.Type] = [
  ValueTarget.self, ChangeTarget.self, FramesTarget.self, TXTTarget.self, ContinuationTarget.self,
  BlobTarget.self, ArchiveTarget.self, JSONTarget.self, CaseTarget.self, ImportTarget.self,
  SessionTarget.self, SDKTarget.self, RowsTarget.self, PagesTarget.self, RepairTarget.self,
]
