import Hyperbasis
import HyperbasisCore

/// Turns the JSON lines of an answer into text for people.
enum Text {
  static func lines(_ json: [String], for request: Request) -> [String] {
    let objects = json.compactMap { line -> Value.Object? in
      guard case .object(let object)? = try? JSON.parse(Array(line.utf8)) else { return nil }
      return object
    }
    switch request {
    case .createSpace, .joinSpace, .put, .change, .delete, .restore:
      return objects.map { string($0["id"]) }
    case .listSpaces: return objects.map(space)
    case .listAnchors: return objects.map(anchor)
    case .importAnchors: return objects.map(imported)
    case .importSDK: return objects.flatMap(importedSDK)
    case .setMap: return objects.map { string($0["map"]) }
    case .getMap: return objects.map { "\(count($0["bytes"], "byte")) in \(string($0["file"]))" }
    case .mapStatus: return objects.map(map)
    case .backup: return objects.map { "\(count($0["bytes"], "byte")) in \(string($0["file"]))" }
    case .digest: return objects.map(digest)
    case .members: return objects.map(member)
    case .retire: return objects.map { string($0["id"]) }
    case .retention: return objects.map { string($0["retention"]) }
    case .status: return objects.flatMap(status)
    }
  }

  private static func space(_ object: Value.Object) -> String {
    let name = object["name"] == .null ? "unnamed" : object["name"].map(string) ?? ""
    let deleted = string(object["deleted"])
    return "\(string(object["id"]))  \(count(object["anchors"], "anchor"))"
      + (deleted == "0" ? "" : " (\(deleted) deleted)") + "  \(name)"
  }

  static func anchor(_ object: Value.Object) -> String {
    var position: [String] = []
    if case .array(let numbers)? = object["position"] { position = numbers.map(string) }
    let mark = object["deleted"] == .null ? "" : "  deleted"
    return "\(string(object["id"]))  at \(position.joined(separator: ", "))  "
      + string(object["metadata"]) + mark
  }

  private static func imported(_ object: Value.Object) -> String {
    let words = ["created", "updated", "unchanged", "deleted", "skipped"]
    return words.filter { object[Key($0)] != .int(0) }
      .map { "\(string(object[Key($0)])) \($0)" }.joined(separator: ", ")
  }

  private static func importedSDK(_ object: Value.Object) -> [String] {
    let counts =
      [
        ("spaces", "space"), ("worldMaps", "world map"), ("anchors", "anchor"), ("events", "event"),
      ].map { count(object[Key($0.0)], $0.1) } + ["\(string(object["unchanged"])) unchanged"]
    guard case .array(let problems)? = object["problems"] else { return [] }
    return [counts.joined(separator: ", ")] + problems.map { "not read: \(string($0))" }
  }

  private static func digest(_ object: Value.Object) -> String {
    var vector = ""
    if case .object(let entries)? = object["vector"] {
      vector = entries.entries.map { "\($0.key.text.prefix(8)):\(string($0.value))" }
        .joined(separator: " ")
    }
    return "\(string(object["digest"]))  \(count(object["anchors"], "anchor"))"
      + " (\(string(object["deleted"])) deleted)  \(vector)"
  }

  private static func map(_ object: Value.Object) -> String {
    guard object["map"] != .null else { return "no world map" }
    let isWhole = object["whole"] == .bool(true)
    let (verified, bytes) = (string(object["verified"]), string(object["bytes"]))
    return "\(string(object["map"]))  \(verified) of \(bytes) bytes"
      + (isWhole ? ", whole" : "")
      + (isWhole || object["last"] == .null ? "" : "; the one before it can be opened")
  }

  private static let indent = String(repeating: " ", count: 11)

  private static func status(_ object: Value.Object) -> [String] {
    var lines = [
      "store      \(string(object["store"]))", "device     \(string(object["device"]))",
      "replica    \(string(object["replica"]))",
      "peer       "
        + (object["running"] == .bool(true)
          ? "running as \(string(object["name"])) on port \(string(object["port"]))"
          : "not running"),
    ]
    if case .object(let change)? = object["replicaChange"] {
      lines.append(
        "           new, since the store was \(string(change["reason"])); before it was "
          + string(change["previous"]))
    }
    if case .object(let discovery)? = object["discovery"] {
      lines.append("discovery  \(string(discovery["state"])): \(string(discovery["reason"]))")
    }
    for (title, key) in [
      ("space", "spaces"), ("joined", "rejoins"), ("damaged", "damaged"), ("offered", "offered"),
      ("peer", "peers"),
    ] {
      guard case .array(let items)? = object[Key(key)] else { continue }
      for item in items {
        lines.append(title.padded(to: 11) + describe(item))
        if case .object(let object) = item { lines += details(object).map { indent + $0 } }
      }
    }
    return lines
  }

  private static func describe(_ item: Value) -> String {
    guard case .object(let object) = item else { return string(item) }
    if object["anchors"] != nil { return space(object) }
    if object["through"] != nil { return rejoin(object) }
    let address = object["address"] == .null ? "" : " at \(string(object["address"]))"
    return "\(string(object["name"])) is \(string(object["state"]))\(address)"
      + "  \(string(object["id"]))"
  }

  /// What `hyperbasis repair` prints.
  static func repaired(_ json: [String]) -> [String] {
    json.flatMap { line -> [String] in
      guard case .object(let object)? = try? JSON.parse(Array(line.utf8)) else { return [] }
      var lines: [String] = []
      for (key, title) in [
        ("kept", "kept aside"), ("intact", "as it was"), ("shortened", "history shortened"),
        ("rebuilt", "rebuilt"), ("problems", "not read"),
      ] {
        guard case .array(let items)? = object[Key(key)] else { continue }
        lines += items.map { title.padded(to: 19) + string($0) }
      }
      return lines
    }
  }

  /// A number of things, as in `1 anchor` or `2 anchors`.
  static func count(_ number: Value?, _ thing: String) -> String {
    "\(string(number)) \(thing)" + (number == .int(1) ? "" : "s")
  }

  /// A string safe for a terminal, anything else as JSON.
  static func string(_ value: Value?) -> String {
    switch value {
    case .string(let text)?: text.printable
    case let value?: JSON.write(value).printable
    case nil: ""
    }
  }
}

extension String {
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - count))
  }
}
