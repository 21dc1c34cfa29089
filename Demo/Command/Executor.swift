import Hyperbasis
import HyperbasisCore
import HyperbasisSync

/// Carries out a request on an open peer; gives one JSON object a line.
struct Executor {
  let peer: LocalPeer
  /// Whether this process runs the peer's network.
  let isRunning: Bool

  /// - Throws: `CommandError`; nothing was written then.
  func perform(_ request: Request) throws(CommandError) -> [String] {
    do {
      return try run(request)
    } catch let error as CommandError {
      throw error
    } catch let error as UsageError {
      throw CommandError(error.description)
    } catch {
      throw CommandError("\(error)")
    }
  }

  private func run(_ request: Request) throws -> [String] {
    switch request {
    case .createSpace(let id, let name):
      let space = id.flatMap { SpaceID(text: $0) } ?? SpaceID(.random(in: 1 ... .max))
      try peer.wait { loop throws(PeerError) in try loop.createSpace(space, name: name) }
      return [object([("id", .string("\(space)")), ("name", .string(name))])]
    case .joinSpace(let id):
      guard let space = SpaceID(text: id) else { throw CommandError("a malformed request") }
      try peer.wait { loop throws(PeerError) in try loop.join(space) }
      return [object([("id", .string("\(space)"))])]
    case .listSpaces:
      return try peer.wait { loop throws(PeerError) in
        loop.engine.rooms.values.map { Report.space($0.state) }
      }.map(JSON.write)
    case .put(let space, let anchor, let edit):
      let space = try find(space)
      let id = try anchor.map(Executor.anchorID) ?? AnchorID(.random(in: 1 ... .max))
      let anchorEdit = try edit.anchorEdit()
      try peer.wait { loop throws(PeerError) in
        try loop.checkLivesNowhereElse(id, than: space)
        try loop.put(id, in: space, anchorEdit)
      }
      return [object([("id", .string("\(id)")), ("space", .string("\(space)"))])]
    case .change(let anchor, let space, let edit):
      let anchorEdit = try edit.anchorEdit()
      return try onAnchor(anchor, space) { loop, id, space throws(PeerError) in
        try loop.change(id, in: space, anchorEdit)
      }
    case .delete(let anchor, let space):
      return try onAnchor(anchor, space) { loop, id, space throws(PeerError) in
        try loop.delete(id, in: space)
      }
    case .restore(let anchor, let space):
      return try onAnchor(anchor, space) { loop, id, space throws(PeerError) in
        try loop.restore(id, in: space)
      }
    case .listAnchors(let space, let deleted): return try list(find(space), deleted: deleted)
    case .importAnchors(let space, let drafts): return try bringIn(drafts, to: find(space))
    case .importSDK(let path): return try importSDK(path)
    case .setMap(let space, let path): return try setMap(find(space), path: path)
    case .getMap(let space, let path, let last):
      return try getMap(find(space), path: path, last: last)
    case .mapStatus(let space): return try mapStatus(find(space))
    case .digest(let space):
      let space = try find(space)
      let state = try peer.wait { loop throws(PeerError) in try loop.state(of: space) }
      return [JSON.write(Report.digest(state))]
    case .members(let space): return try members(of: find(space))
    case .retire(let member, let space): return try retire(member, from: find(space))
    case .retention(let space, let word): return try retention(of: find(space), becomes: word)
    case .backup(let path): return try backUp(to: path)
    case .status:
      let isRunning = isRunning
      return [
        JSON.write(
          try peer.wait { loop throws(PeerError) in
            Report.status(loop, isRunning: isRunning)
          })
      ]
    }
  }

  private func onAnchor(
    _ anchor: String, _ space: String?,
    _ body: @escaping @Sendable (PeerLoop, AnchorID, SpaceID?) throws(PeerError) -> Void
  ) throws -> [String] {
    let id = try Executor.anchorID(anchor)
    let space = try space.map { try find($0) }
    try peer.wait { loop throws(PeerError) in try body(loop, id, space) }
    return [object([("id", .string("\(id)"))])]
  }

  private static func anchorID(_ text: String) throws(CommandError) -> AnchorID {
    guard let id = AnchorID(text: text) else { throw CommandError("a malformed request") }
    return id
  }

  private func list(_ space: SpaceID, deleted: Bool) throws -> [String] {
    let state = try peer.wait { loop throws(PeerError) in try loop.state(of: space) }
    return state.anchors(includingDeleted: deleted).map { Report.line($0, in: space) }
  }

  private func bringIn(_ drafts: [Request.Draft], to space: SpaceID) throws -> [String] {
    let drafts = try drafts.map { try $0.draft() }
    let report = try peer.wait { loop throws(PeerError) in
      try loop.importDrafts(drafts, into: space)
    }
    return [
      object([
        ("space", .string("\(space)")), ("created", .int(Int64(report.created))),
        ("updated", .int(Int64(report.updated))), ("unchanged", .int(Int64(report.unchanged))),
        ("deleted", .int(Int64(report.deleted))), ("skipped", .int(Int64(report.skipped))),
      ])
    ]
  }

  /// A space by its id, or by its name where only one has it.
  private func find(_ text: String) throws -> SpaceID {
    let states = try peer.wait { loop throws(PeerError) in
      loop.engine.rooms.values.map { ($0.state.id, $0.state.name) }
    }
    if let id = SpaceID(text: text) {
      guard states.contains(where: { $0.0 == id }) else {
        // It may be one that is damaged.
        _ = try peer.wait { loop throws(PeerError) in try loop.state(of: id) }
        throw CommandError("no space \(id) is held in this store; create or join it first")
      }
      return id
    }
    let named = states.filter { $0.1.map { Key($0) } == Key(text) }
    guard let first = named.first else {
      let isDamaged = try peer.wait { loop throws(PeerError) in !loop.damaged.isEmpty }
      throw CommandError(
        isDamaged
          ? "no sound space in this store has the name \(text.shown), and a damaged one may have it: "
            + "use its id, or repair the store (hyperbasis status, hyperbasis repair)"
          : "no space in this store has the id or name \(text.shown)" + (try offers()))
    }
    guard named.count == 1 else {
      throw CommandError("\(named.count) spaces are named \(text.shown); use the id")
    }
    return first.0
  }

  /// What peers hold that this store does not.
  private func offers() throws -> String {
    let offered = try peer.wait { loop throws(PeerError) in loop.engine.offeredSpaces }
    guard let first = offered.first else { return "" }
    let rest = offered.count == 1 ? "" : ", and \(offered.count - 1) more"
    return "; peers offer \(first)\(rest): hyperbasis space join \(first)"
  }

  private func object(_ entries: [(String, Value)]) -> String {
    JSON.write(Report.object(entries))
  }
}

extension Request.Edit {
  func anchorEdit() throws -> AnchorEdit {
    var edit = AnchorEdit()
    if let transform {
      edit.transform = try Transform(transform.map(Float.init(bitPattern:)))
    }
    if let position {
      guard position.count == 3 else { throw CommandError("a malformed request") }
      let numbers = position.map(Float.init(bitPattern:))
      edit.position = (numbers[0], numbers[1], numbers[2])
    }
    for entry in set {
      edit.metadata.append((Key(entry.key), try JSON.parse(Array(entry.json.utf8))))
    }
    for key in unset { edit.metadata.append((Key(key), nil)) }
    return edit
  }
}
