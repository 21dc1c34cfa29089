import Synchronization

/// When a value was made, or a key handed out or written: a number that grows within a process.
package struct EditMoment: Comparable, Sendable {
  private let number: Int

  private static let last = Atomic(0)

  /// Earlier than all that are taken.
  package static let zero = EditMoment(number: 0)

  /// Later than all that were taken before.
  package static func next() -> EditMoment {
    EditMoment(number: last.add(1, ordering: .relaxed).newValue)
  }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}
