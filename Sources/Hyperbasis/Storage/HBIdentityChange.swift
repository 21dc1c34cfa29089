import Foundation
import HyperbasisStore

/// How a directory came to its present ``HBStorage/actorId``, where it had another one before.
///
/// ```swift
/// if let change = try storage.identityChange, change.reason == .copied {
///   print("restored on \(change.date)")
/// }
/// ```
public struct HBIdentityChange: Hashable, Sendable {
  /// Why a directory gets a new id.
  public enum Reason: Hashable, Sendable {
    /// It is a copy or a restored backup, in whole or in part.
    case copied
    /// The system went down while it was open: the disk may have lost the last of what was saved.
    case systemWentDown
    /// It was damaged, and ``HBStorage/repair()`` made it anew of what can be read.
    case repaired
    /// It had edits from a time when the device's clock was far ahead, which no other device takes: they were
    /// written anew with the time of now.
    case clockWasWrong
    /// Its process was killed, and the database's log of the last saves was damaged before it was opened again: what
    /// no other device has of them is lost.
    case logDamaged
  }

  /// The id under which earlier changes of this directory are in histories.
  public let previousActorId: String
  /// Why the directory got a new id.
  public let reason: Reason
  /// When it did, by this device's clock.
  public let date: Date

  init(_ change: IdentityChange) {
    previousActorId = UUID(change.previous).uuidString
    date = Date(timeIntervalSince1970: Double(change.date) / 1_000)
    reason =
      switch change.reason {
      case .copied: .copied
      case .cut: .systemWentDown
      case .repaired: .repaired
      case .clockWasWrong: .clockWasWrong
      case .logDamaged: .logDamaged
      }
  }
}
