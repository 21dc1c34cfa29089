import Foundation
import Synchronization

/// One value that one thread or task gives and a thread that may block waits for.
final class Handover<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let given = DispatchSemaphore(value: 0)

  /// Precondition: it was not given before.
  func give(_ new: Value) {
    value.withLock { value in
      precondition(value == nil, "one value is given")
      value = new
    }
    given.signal()
  }

  /// Nil when it was not given in time.
  func wait(seconds: Int) -> Value? {
    guard given.wait(timeout: .now() + .seconds(seconds)) == .success else { return nil }
    return value.withLock { $0 }
  }

  func wait() -> Value {
    given.wait()
    return value.withLock { $0! }
  }
}
