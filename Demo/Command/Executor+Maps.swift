import Hyperbasis
import HyperbasisCore

extension Executor {
  /// Puts the map of a file in force in a space.
  func setMap(_ space: SpaceID, path: String) throws -> [String] {
    let file = try MapFile.open(path)
    let map = try peer.prepareMapAndWait(byteCount: try file.byteCount()) {
      () throws(PeerError) in
      try file.next()
    }
    let reference = map.reference
    try peer.wait { loop throws(PeerError) in try loop.setMap(reference, of: space) }
    return [
      JSON.write(Report.object([("space", .string("\(space)"))] + Report.map(reference)))
    ]
  }

  /// Writes the map in force to a file, or the last one that was whole.
  func getMap(_ space: SpaceID, path: String, last: Bool) throws -> [String] {
    let state = try peer.wait { loop throws(PeerError) in try loop.mapState(of: space) }
    guard let reference = state.reference else {
      throw CommandError("the space has no world map")
    }
    guard let map = last ? state.lastWhole : state.isWhole ? reference : nil else {
      let older = state.lastWhole == nil ? "" : "; --last gets the one before it"
      throw CommandError(
        "the world map is not whole yet: \(state.verifiedBytes) of \(reference.byteCount) bytes "
          + "are here" + older)
    }
    try MapFile.write(path) { file throws(PeerError) in
      try peer.loadMapAndWait(map) { bytes throws(PeerError) in try file.add(bytes) }
    }
    let entries = [("space", Value.string("\(space)")), ("file", .string(path))]
    return [JSON.write(Report.object(entries + Report.map(map)))]
  }

  func mapStatus(_ space: SpaceID) throws -> [String] {
    let state = try peer.wait { loop throws(PeerError) in try loop.mapState(of: space) }
    let none: [(String, Value)] = [("map", .null), ("bytes", .int(0))]
    return [
      JSON.write(
        Report.object(
          [("space", .string("\(space)"))] + (state.reference.map(Report.map) ?? none) + [
            ("verified", .int(Int64(state.verifiedBytes))), ("whole", .bool(state.isWhole)),
            ("served", .int(state.servedBytes)),
            ("last", state.lastWhole.map { .string("\($0.manifest)") } ?? .null),
          ]))
    ]
  }
}

extension Report {
  static func map(_ reference: MapReference) -> [(String, Value)] {
    [("map", .string("\(reference.manifest)")), ("bytes", .int(Int64(reference.byteCount)))]
  }
}
