/// What an import of the SDK's directory brought in, and what it could not.
///
/// ```swift
/// let report = try await storage.importSDK(directory: documents)
/// print(report)  // 1 spaces, 1 world maps, 42 anchors, 130 events, 0 unchanged, 1 problems
/// for problem in report.problems { print(problem) }
/// // events/6A1F….jsonl: line 131 is cut short
/// ```
public struct HBImportReport: Equatable, Sendable {
  /// Spaces that were unknown here.
  public internal(set) var spaces = 0
  /// Anchors that were unknown here, deleted ones included.
  public internal(set) var anchors = 0
  /// Lines of the event logs that these anchors' histories were made of.
  public internal(set) var events = 0
  /// World maps of these spaces.
  public internal(set) var worldMaps = 0
  /// Anchors that were here already, or are in a space that was deleted here; they stay as they are.
  public internal(set) var unchanged = 0
  /// What could not be read, one line each: the file within the directory, and the reason.
  public internal(set) var problems: [String] = []
}

extension HBImportReport: CustomStringConvertible {
  /// The counts in one line.
  public var description: String {
    "\(spaces) spaces, \(worldMaps) world maps, \(anchors) anchors, \(events) events, "
      + "\(unchanged) unchanged, \(problems.count) problems"
  }
}
