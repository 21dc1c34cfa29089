import HyperbasisCore

extension Text {
  static func member(_ object: Value.Object) -> String {
    var words = [object["retired"] == .bool(true) ? "retired" : "member"]
    if object["this"] == .bool(true) { words.append("this device") }
    if object["connected"] == .bool(true) { words.append("connected") }
    if object["retired"] != .bool(true), object["this"] != .bool(true) {
      words.append(
        object["missing"] == .null
          ? "not heard of yet" : "misses \(string(object["missing"])) changes")
    }
    if object["waitedFor"] == .bool(true) { words.append("waited for") }
    if object["successor"] != .null { words.append("now \(string(object["successor"]))") }
    return "\(string(object["id"]))  \(name(object))  \(words.joined(separator: ", "))"
  }

  /// Of a space in `status`: what it keeps, and what is held back by whom; nothing where it keeps everything.
  static func kept(_ space: Value.Object) -> [String] {
    guard case .object(let held)? = space["heldBack"], space["retention"] != .string("everything")
    else { return [] }
    var lines = ["keeps \(string(space["retention"]))"]
    if held["waitsToJoin"] == .bool(true) {
      lines.append("gives up nothing: this device is no member yet")
    }
    let counts = [
      ("deletedAnchors", "deleted anchors"), ("removedKeys", "removed keys"),
      ("changes", "changes"),
    ]
    .filter { held[Key($0.0)] != .int(0) }.map { "\(string(held[Key($0.0)])) \($0.1)" }
    guard !counts.isEmpty, case .array(let members)? = held["waitingFor"] else { return lines }
    lines.append("holds back \(counts.joined(separator: ", "))")
    for case .object(let object) in members { lines.append("  for \(member(object))") }
    return lines
  }

  private static func name(_ object: Value.Object) -> String {
    object["name"] == .null ? "unnamed" : string(object["name"])
  }
}
