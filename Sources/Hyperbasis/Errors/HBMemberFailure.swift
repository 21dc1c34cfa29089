import Foundation

/// Why a call about the members of a space failed. More cases may come.
public enum HBMemberFailure: LocalizedError, Equatable, Sendable {
  /// The space lists no member with this id.
  case unknownMember(memberId: UUID, spaceId: UUID)
  /// A storage cannot retire itself: it would go on as if it were a member.
  case thisDevice(memberId: UUID, spaceId: UUID)
  /// The space has no members: nobody is waited for, as everything is kept.
  case noMembers(spaceId: UUID)
  /// This storage is no member of the space yet, and what it says of members counts for nobody.
  case notJoined(spaceId: UUID)

  /// The same as ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension HBMemberFailure: CustomStringConvertible {
  /// What is the matter and what to do, in one line for people.
  public var description: String {
    switch self {
    case .unknownMember(let member, let space):
      "space \(space) has no member \(member); see its list of members"
    case .thisDevice(let member, let space):
      "member \(member) of space \(space) is this very device; retire it on another one"
    case .noMembers(let space):
      "space \(space) keeps everything and has no members; set its retention first"
    case .notJoined(let space):
      "this device is no member of space \(space) yet; connect it to one, or use a device that is"
    }
  }
}
