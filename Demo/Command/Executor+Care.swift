import Foundation
import Hyperbasis
import HyperbasisCore
import HyperbasisStore

extension Executor {
  /// Writes the store to one new file.
  func backUp(to path: String) throws -> [String] {
    try peer.backup(to: path)
    let bytes = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64 ?? 0
    return [JSON.write(Report.object([("file", .string(path)), ("bytes", .int(bytes))]))]
  }
}

/// The command `hyperbasis repair`: it needs the store for itself.
enum RepairCommand {
  /// - Throws: `CommandError`; the store is then as it was.
  static func run(store: String) throws(CommandError) -> [String] {
    do throws(StoreError) {
      return [JSON.write(object(try Store.repair(directory: store)))]
    } catch {
      throw CommandError(error.description)
    }
  }

  private static func object(_ report: RepairReport) -> Value {
    let ids = { (spaces: [SpaceID]) in Value.array(spaces.map { .string("\($0)") }) }
    return Report.object([
      ("kept", .array(report.kept.map(Value.string))), ("intact", ids(report.intact)),
      ("shortened", ids(report.historyCut)), ("rebuilt", ids(report.rebuilt)),
      ("rewritten", .int(Int64(report.rewritten))),
      ("problems", .array(report.problems.map(Value.string))),
    ])
  }
}
