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

  static func write(_ lines: [String]) {
    let text = lines.map { $0 + "\n" }.joined()
    FileHandle.standardOutput.write(Data(text.utf8))
  }

  static func complain(_ line: String) {
    FileHandle.standardError.write(Data("hyperbasis: \(line)\n".utf8))
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
