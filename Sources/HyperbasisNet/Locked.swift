#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A value that one thread at a time may touch.
///
/// It stands where `Synchronization.Mutex` would: that one waits inside a library that the thread
/// sanitizer does not see into, and every contended use of it is reported as a race (seen with
/// Swift 6.3.1 on Linux). The sanitizer knows `pthread_mutex_t`.
///
/// Safe because: `value` is read and written only while `mutex` is held.
package final class Locked<Value: Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  package init(_ value: Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    let result = pthread_mutex_init(mutex, nil)
    precondition(result == 0, "the system has no lock left")
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` while no other thread runs one for this value.
  ///
  /// - Precondition: `body` does not lock the same value again.
  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}
