import Foundation
import Hyperbasis
import HyperbasisCore

extension Executor {
  /// The members of a space, one a line.
  func members(of space: SpaceID) throws -> [String] {
    let members = try peer.wait { loop throws(PeerError) in
      _ = try loop.state(of: space)
      return loop.members(of: space)
    }
    return members.map { JSON.write(Report.member($0)) }
  }

  /// Has nobody wait for a member, given by its id, or by its name where only one that is not retired has it.
  func retire(_ text: String, from space: SpaceID) throws -> [String] {
    let members = try peer.wait { loop throws(PeerError) in
      _ = try loop.state(of: space)
      return loop.members(of: space)
    }
    let member: ReplicaID
    if let id = ReplicaID(text: text) ?? ReplicaID(hex: text) {
      member = id
    } else {
      let all = members.filter { $0.name.map { Key($0) } == Key(text) }
      // One that is retired already stays so.
      let named = all.count == 1 ? all : all.filter { !$0.isRetired }
      guard named.count == 1 else {
        throw CommandError(
          named.isEmpty
            ? "no member of the space has the id or name \(text.shown)"
            : "\(named.count) members are named \(text.shown); use the id")
      }
      member = ReplicaID(named[0].id)
    }
    try peer.wait { loop throws(PeerError) in try loop.retire(member, from: space) }
    return [
      JSON.write(Report.object([("id", .string(member.hex)), ("space", .string("\(space)"))]))
    ]
  }

  /// What a space keeps of its past, after it was set where a word is given.
  func retention(of space: SpaceID, becomes word: String?) throws -> [String] {
    if let word {
      let retention = try RetentionWord.read(word)
      try peer.wait { loop throws(PeerError) in try loop.retain(retention, in: space) }
    }
    let state = try peer.wait { loop throws(PeerError) in try loop.state(of: space) }
    return [
      JSON.write(
        Report.object([
          ("space", .string("\(space)")),
          ("retention", .string(RetentionWord.write(state.retention))),
        ]))
    ]
  }
}

/// How a command names what a space keeps: `everything`, `latest`, or a time span such as `30d`.
enum RetentionWord {
  private static let units: [(letter: Character, seconds: UInt64)] = [
    ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1),
  ]

  /// - Throws: `UsageError` for another word.
  static func read(_ word: String) throws(UsageError) -> Retention {
    switch word {
    case "everything": return .everything
    case "latest": return .latest
    default: break
    }
    guard let unit = units.first(where: { word.last == $0.letter }),
      let count = UInt64(word.dropLast()), count > 0,
      case (let seconds, let isOver) = count.multipliedReportingOverflow(by: unit.seconds), !isOver,
      seconds <= UInt64(Int64.max)
    else {
      throw UsageError("\(word.shown) is no retention: everything, latest, or a span such as 30d")
    }
    return .seconds(seconds)
  }

  static func write(_ retention: Retention) -> String {
    switch retention {
    case .everything: return "everything"
    case .latest: return "latest"
    case .seconds(let seconds):
      let unit = units.first { seconds % $0.seconds == 0 }!
      return "\(seconds / unit.seconds)\(unit.letter)"
    }
  }
}

extension Report {
  static func member(_ member: HBMember) -> Value {
    object([
      ("id", .string(ReplicaID(member.id).hex)),
      ("name", member.name.map(Value.string) ?? .null),
      ("this", .bool(member.isThisDevice)), ("connected", .bool(member.isConnected)),
      ("retired", .bool(member.isRetired)),
      ("since", .int(Int64(member.since.timeIntervalSince1970 * 1_000))),
      ("waitedFor", .bool(member.isWaitedFor)),
      ("missing", member.missingChanges.map { .int(Int64($0)) } ?? .null),
      ("successor", member.successorId.map { .string(ReplicaID($0).hex) } ?? .null),
    ])
  }

  static func heldBack(_ held: HBHeldBack) -> Value {
    object([
      ("deletedAnchors", .int(Int64(held.deletedAnchors))),
      ("removedKeys", .int(Int64(held.removedKeys))), ("changes", .int(Int64(held.changes))),
      ("waitsToJoin", .bool(held.waitsToJoin)),
      ("waitingFor", .array(held.waitingFor.map(member))),
    ])
  }

  /// With the anchors whose edits could not be kept, as lines of an export.
  static func rejoin(_ rejoin: HBRejoin, of loop: PeerLoop) -> Value {
    let space = SpaceID(rejoin.spaceId)
    let offered = loop.engine.rooms[space]?.joins.offered ?? []
    return object([
      ("space", .string("\(space)")), ("through", .string(rejoin.through)),
      ("at", .int(Int64(rejoin.date.timeIntervalSince1970 * 1_000))),
      ("offered", .array(offered.map { anchor($0, in: space) })),
    ])
  }
}
