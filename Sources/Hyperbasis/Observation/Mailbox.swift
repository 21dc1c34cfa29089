import HyperbasisNet

/// What waits for one reader, bounded: when more waits than may, all of it becomes one item.
///
/// Any thread posts; one reader takes.
final class Mailbox<Item: Sendable>: Sendable {
  private let limit: Int
  private let merge: @Sendable ([Item]) -> Item
  private let state = Locked(State())

  private struct State: Sendable {
    var items: [Item] = []
    var reader: CheckedContinuation<Item?, Never>?
    var isFinished = false
  }

  init(limit: Int, merge: @escaping @Sendable ([Item]) -> Item) {
    self.limit = limit
    self.merge = merge
  }

  func post(_ item: Item) {
    let reader = state.withLock { state -> CheckedContinuation<Item?, Never>? in
      guard !state.isFinished else { return nil }
      if let reader = state.reader.take() { return reader }
      state.items.append(item)
      if state.items.count > limit { state.items = [merge(state.items)] }
      return nil
    }
    reader?.resume(returning: item)
  }

  /// What waits is still given; then nil.
  func finish() {
    let reader = state.withLock { state in
      state.isFinished = true
      return state.reader.take()
    }
    reader?.resume(returning: nil)
  }

  /// The next item; nil once finished, for a second reader while one waits, or when the reader's task is cancelled, which finishes.
  func next() async -> Item? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Item?? in
          if !state.items.isEmpty { return .some(state.items.removeFirst()) }
          if state.isFinished { return .some(nil) }
          if state.reader != nil { return .some(nil) }
          state.reader = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      finish()
    }
  }
}
