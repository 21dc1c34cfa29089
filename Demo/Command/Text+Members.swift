import HyperbasisCore

extension Text {
  static func member(_ object: Value.Object) -> String {
    var words = [object["retired"] == .bool(true) ? "retired" : "member"]
    if object["this"] == .bool(true) { words.append("this device") }
    if object["connected"] == .bool(true) { words.append("connected") }
    if object["retired"] != .bool(true), object["this"] != .bool(true) {
      words.append(
        object["missing"] == .null
          ? "not heard of yet" : "misses \(count(object["missing"], "change"))")
    }
    if object["waitedFor"] == .bool(true) { words.append("waited for") }
    if object["successor"] != .null { words.append("now \(string(object["successor"]))") }
    return "\(string(object["id"]))  \(name(object))  \(words.joined(separator: ", "))"
  }

  /// Of a space in `status`: what it keeps, and what is held back by whom; nothing where it keeps everything.
  private static func kept(_ space: Value.Object) -> [String] {
    guard case .object(let held)? = space["heldBack"], space["retention"] != .string("everything")
    else { return [] }
    var lines = ["keeps \(string(space["retention"]))"]
    if held["waitsToJoin"] == .bool(true) {
      lines.append("gives up nothing: this device is no member yet")
    }
    let counts = [
      ("deletedAnchors", "deleted anchor"), ("removedKeys", "removed key"), ("changes", "change"),
    ]
    .filter { held[Key($0.0)] != .int(0) }.map { count(held[Key($0.0)], $0.1) }
    guard !counts.isEmpty, case .array(let members)? = held["waitingFor"] else { return lines }
    lines.append("holds back \(counts.joined(separator: ", "))")
    for case .object(let object) in members {
      lines.append("  for \(member(object))")
      guard held["waitsToJoin"] == .bool(true), object["successor"] != .null else { continue }
      let former = string(object["id"])
      lines.append(
        "  if no store goes on as \(former.prefix(8)): hyperbasis retire \(string(space["id"])) \(former)"
      )
    }
    return lines
  }

  static func rejoin(_ object: Value.Object) -> String {
    "\(string(object["space"]))  through \(string(object["through"]))"
  }

  /// The anchors whose edits a rejoin could not keep.
  private static func notKept(_ rejoin: Value.Object) -> [String] {
    guard case .array(let anchors)? = rejoin["offered"] else { return [] }
    return anchors.compactMap { item in
      guard case .object(let object) = item else { return nil }
      return "edited here, deleted there: \(anchor(object))"
    }
  }

  /// What `status` says below an item.
  static func details(_ object: Value.Object) -> [String] { kept(object) + notKept(object) }

  private static func name(_ object: Value.Object) -> String {
    object["name"] == .null ? "unnamed" : string(object["name"])
  }
}
