import Foundation

/// What a storage tells an app over time: the sequences of ``HBStorage/changes(spaceId:)``,
/// ``HBStorage/anchors(spaceId:)``, ``HBStorage/peers`` and others.
///
/// ```swift
/// for await anchors in storage.anchors(spaceId: space.id) { show(anchors) }
/// ```
///
/// It begins when it is made, not with the first `next()`, and is read by one task: a second
/// one that asks while the first waits gets the end. It ends when the
/// storage is released or cannot be opened (``HBStorage/open()`` says why), at once where its space is
/// damaged (``HBStorage/damagedSpaces()``), or with its task.
public struct HBUpdates<Element: Sendable>: AsyncSequence, Sendable {
  /// It never throws; where it cannot go on, it ends.
  public typealias Failure = Never

  private let subscription: Subscription
  private let produce: @Sendable () async -> Element?

  init(
    produce: @escaping @Sendable () async -> Element?, cancel: @escaping @Sendable () -> Void
  ) {
    self.produce = produce
    subscription = Subscription(cancel: cancel)
  }

  /// One that ended.
  static var ended: HBUpdates { HBUpdates(produce: { nil }, cancel: {}) }

  /// The reader. There is one at a time: what one has read, another does not get.
  public func makeAsyncIterator() -> Iterator {
    Iterator(subscription: subscription, produce: produce)
  }

  /// What reads an ``HBUpdates``.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let subscription: Subscription
    fileprivate let produce: @Sendable () async -> Element?

    /// Waits for the next element; nil at the end, and when the task is cancelled.
    public mutating func next() async -> Element? {
      await produce()
    }

    /// Waits for the next element where the caller runs; nil at the end, and when the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await produce()
    }
  }

  /// Lives as long as the sequence or its iterator.
  fileprivate final class Subscription: Sendable {
    private let cancel: @Sendable () -> Void

    init(cancel: @escaping @Sendable () -> Void) {
      self.cancel = cancel
    }

    deinit {
      cancel()
    }
  }
}
