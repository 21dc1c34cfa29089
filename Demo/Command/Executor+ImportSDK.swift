import Hyperbasis
import HyperbasisCore

extension Executor {
  /// Brings in the directory of the SDK. What cannot be read is listed; the rest is done.
  func importSDK(_ path: String) throws -> [String] {
    let peer = peer
    let outcome = Handover<Result<HBImportReport, HBStorageError>>()
    Task.detached {
      do throws(HBStorageError) {
        outcome.give(.success(try await peer.importSDK(path: path)))
      } catch {
        outcome.give(.failure(error))
      }
    }
    // This thread is none of the tasks'.
    let report = try outcome.wait().get()
    return [
      JSON.write(
        Report.object([
          ("spaces", .int(Int64(report.spaces))), ("worldMaps", .int(Int64(report.worldMaps))),
          ("anchors", .int(Int64(report.anchors))), ("events", .int(Int64(report.events))),
          ("unchanged", .int(Int64(report.unchanged))),
          ("problems", .array(report.problems.map(Value.string))),
        ]))
    ]
  }
}
