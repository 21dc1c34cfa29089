import Foundation

extension MockStorage {
  /// What a mock is told to do, and what it was asked.
  struct Script: Sendable {
    var calls: [Call] = []
    /// Failures that go with the call that they meet.
    var once: [Failure] = []
    var always: [Failure] = []
    var delays: [Delay] = []
    var failures: (@Sendable (Call) -> HBStorageError?)?
    var beforeEach: (@Sendable (Call) async -> Void)?
  }

  struct Failure: Sendable {
    let error: HBStorageError
    /// Empty for every operation, as for delays.
    let operations: Set<Operation>
  }

  struct Delay: Sendable {
    let duration: Duration
    let operations: Set<Operation>
  }

  // MARK: The log

  /// The calls so far in the order in which they began, failed ones included.
  ///
  /// Observations and properties are no calls.
  public var calls: [Call] { script.withLock { $0.calls } }

  /// Forgets the calls so far.
  public func clearCalls() {
    script.withLock { $0.calls = [] }
  }

  // MARK: Failures

  /// The next call of one of `operations`, or of any where none is given, throws `error` and does
  /// nothing else.
  ///
  /// ```swift
  /// mock.failNext(.fileOperationFailed(underlying: HBStoreFailure.full(path: "/data")), on: .saveAnchor)
  /// ```
  ///
  /// Several wait in line; each meets one call.
  public func failNext(_ error: HBStorageError, on operations: Operation...) {
    let failure = Failure(error: error, operations: Set(operations))
    script.withLock { $0.once.append(failure) }
  }

  /// Every call of one of `operations`, or every call where none is given, throws `error` until
  /// ``failNoMore()``.
  public func fail(always error: HBStorageError, on operations: Operation...) {
    let failure = Failure(error: error, operations: Set(operations))
    script.withLock { $0.always.append(failure) }
  }

  /// Drops the failures that were ordered, and ``failures``.
  public func failNoMore() {
    script.withLock { script in
      (script.once, script.always, script.failures) = ([], [], nil)
    }
  }

  /// Decides for each call whether it fails, after failures that were ordered; nil by default.
  ///
  /// ```swift
  /// mock.failures = { call in call == .deleteAnchor(id: fixed) ? .notFound(type: "anchor", id: fixed) : nil }
  /// ```
  public var failures: (@Sendable (Call) -> HBStorageError?)? {
    get { script.withLock { $0.failures } }
    set { script.withLock { $0.failures = newValue } }
  }

  // MARK: Delays

  /// Calls of one of `operations`, or all where none is given, take this much longer from now on.
  ///
  /// Several add up. `clearLocalStorage` and `localStorageSize` do not wait.
  public func delay(_ duration: Duration, on operations: Operation...) {
    let delay = Delay(duration: duration, operations: Set(operations))
    script.withLock { $0.delays.append(delay) }
  }

  /// Runs before each call that is asynchronous, which waits for it: a test holds calls up with it.
  ///
  /// ```swift
  /// mock.beforeEach = { call in if call.operation == .saveSpace { await gate.opened() } }
  /// ```
  public var beforeEach: (@Sendable (Call) async -> Void)? {
    get { script.withLock { $0.beforeEach } }
    set { script.withLock { $0.beforeEach = newValue } }
  }

  // MARK: The beginning of each call

  /// Logs a call, waits, and fails where the script says so.
  func begin(_ call: Call) async throws(HBStorageError) {
    let error = log(call)
    await wait(for: call)
    if let error { throw error }
  }

  /// As ``begin(_:)``, without waiting.
  func beginAtOnce(_ call: Call) throws(HBStorageError) {
    if let error = log(call) { throw error }
  }

  func wait(for call: Call) async {
    let (pause, beforeEach) = script.withLock { script in
      let delays = script.delays.filter { call.operation.isAmong($0.operations) }
      return (delays.reduce(.zero) { $0 + $1.duration }, script.beforeEach)
    }
    await beforeEach?(call)
    // A cancelled task does not wait any longer.
    if pause > Duration.zero { try? await Task.sleep(for: pause) }
  }

  /// Returns with what the call is to fail.
  func log(_ call: Call) -> HBStorageError? {
    let (error, failures) = script.withLock { script in
      script.calls.append(call)
      if let index = script.once.firstIndex(where: { call.operation.isAmong($0.operations) }) {
        return (script.once.remove(at: index).error as HBStorageError?, script.failures)
      }
      let always = script.always.first { call.operation.isAmong($0.operations) }
      return (always?.error, script.failures)
    }
    return error ?? failures?(call)
  }
}

extension MockStorage.Operation {
  fileprivate func isAmong(_ operations: Set<Self>) -> Bool {
    operations.isEmpty || operations.contains(self)
  }
}
