import HyperbasisCore

/// What a space keeps of its past on every device: deleted anchors, removed keys, and the changes that histories
/// are made of.
///
/// ```swift
/// try await storage.setRetention(.last(.seconds(30 * 86_400)), spaceId: space.id)
/// ```
///
/// What is kept no longer goes once all ``HBMember``s of the space have it, and never before.
public enum HBRetention: Hashable, Sendable {
  /// All of it, for ever. Every space begins with this.
  case everything
  /// What is younger than a time span, in whole seconds; a fraction counts as one more.
  case last(Duration)
  /// What the space is now, and nothing else.
  case latest

  init(_ retention: Retention) {
    self =
      switch retention {
      case .everything: .everything
      case .seconds(let seconds): .last(.seconds(Int64(clamping: seconds)))
      case .latest: .latest
      }
  }

  /// - Throws: `HBValueFailure.invalid` for a span that is not longer than nothing.
  package func checked() throws(HBValueFailure) -> Retention {
    switch self {
    case .everything: return .everything
    case .latest: return .latest
    case .last(let span):
      guard span > .zero else {
        throw .invalid(
          reason: "a retention of \(span) keeps nothing; give a span above 0, or use .latest")
      }
      let (seconds, rest) = span.components
      return .seconds(UInt64(seconds) + (rest > 0 ? 1 : 0))
    }
  }
}
