import Synchronization

/// Holds tasks up until it is opened.
final class Gate: Sendable {
  private let state = Mutex((isOpen: false, waiting: [CheckedContinuation<Void, Never>]()))

  func opened() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiting = state.withLock { state in
      defer { state = (true, []) }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
