import Foundation

/// Writes lines to standard output on a thread of its own, so that a slow reader of the output holds
/// up nothing else.
final class Printer: Sendable {
  /// Lines that wait; more are dropped and counted.
  private static let waitingLines = 65_536

  private struct State {
    var lines: [String] = []
    var dropped = 0
    var isEnded = false
  }

  private let condition = NSCondition()
  // Safe because: touched only while `condition` is locked.
  nonisolated(unsafe) private var state = State()
  private let finished = DispatchSemaphore(value: 0)

  /// What to print for lines that were dropped.
  private let dropped: @Sendable (Int) -> String

  init(dropped: @escaping @Sendable (Int) -> String) {
    self.dropped = dropped
    Thread.detachNewThread { [self] in
      // A peer goes on when nobody reads its events any more.
      while let lines = next() { Printer.write(lines) }
      finished.signal()
    }
  }

  func print(_ line: String) {
    condition.lock()
    defer { condition.unlock() }
    if state.lines.count < Printer.waitingLines {
      state.lines.append(line)
    } else {
      state.dropped += 1
    }
    condition.signal()
  }

  /// Prints what waits, for at most a second.
  func finish() {
    condition.lock()
    state.isEnded = true
    condition.signal()
    condition.unlock()
    _ = finished.wait(timeout: .now() + 1)
  }

  /// Writes lines to standard output; false when it takes no more (a closed pipe, a full disk).
  @discardableResult
  static func write(_ lines: [String]) -> Bool {
    write(lines.map { $0 + "\n" }.joined(), to: .standardOutput)
  }

  static func complain(_ line: String) {
    // Where standard error takes nothing there is nobody left to tell.
    _ = write("hyperbasis: \(line)\n", to: .standardError)
  }

  private static func write(_ text: String, to handle: FileHandle) -> Bool {
    do {
      try handle.write(contentsOf: Data(text.utf8))
      return true
    } catch {
      return false
    }
  }

  private func next() -> [String]? {
    condition.lock()
    defer { condition.unlock() }
    while state.lines.isEmpty && !state.isEnded { condition.wait() }
    guard !state.lines.isEmpty else { return nil }
    var lines = state.lines
    if state.dropped > 0 {
      lines.append(dropped(state.dropped))
    }
    state.lines = []
    state.dropped = 0
    return lines
  }
}
