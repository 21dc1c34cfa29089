internal import CZlib
import Foundation

/// What one system came to in one workload: one line of JSON.
struct Figures {
  private var fields: [(name: String, json: String)]

  init(of system: String = "hyperbasis", workload: String) {
    fields = [("sys", "\"\(system)\""), ("wl", "\"\(workload)\"")]
  }

  mutating func set(_ name: String, _ number: Int) {
    fields.append((name, "\(number)"))
  }

  mutating func set(_ name: String, _ number: Double) {
    fields.append((name, "\(number)"))
  }

  /// Checks a state's hash against what TRACE.md has.
  ///
  /// - Throws: `BenchmarkError` when it is another one.
  mutating func set(_ name: String, hash: String, expected: String) throws {
    guard hash == expected else {
      throw BenchmarkError("the state has the hash \(hash), and not \(expected): nothing counts")
    }
    fields.append((name, "\"\(hash)\""))
  }

  /// Seconds that something takes: by the monotonic clock as `NAME_s`, and of the processor as `NAME_cpu_s`, which
  /// other programs disturb less.
  ///
  /// - Parameter name: It ends with `_s`.
  mutating func time<Output>(_ name: String, _ body: () throws -> Output) rethrows -> Output {
    let (start, processorStart) = (ContinuousClock.now, clock())
    let output = try body()
    let processor = Double(clock() - processorStart) / Double(CLOCKS_PER_SEC)
    set(name, (ContinuousClock.now - start).inSeconds)
    set(Figures.processorName(of: name), processor)
    return output
  }

  mutating func time<Output>(
    _ name: String, _ body: () async throws -> Output
  ) async rethrows -> Output {
    let (start, processorStart) = (ContinuousClock.now, clock())
    let output = try await body()
    let processor = Double(clock() - processorStart) / Double(CLOCKS_PER_SEC)
    set(name, (ContinuousClock.now - start).inSeconds)
    set(Figures.processorName(of: name), processor)
    return output
  }

  /// The median of samples as `NAME_s`, with that of the processor's seconds where they were measured, and the 99th of a hundred as
  /// `NAME_p99_s`.
  mutating func set(_ name: String, _ samples: Samples) {
    set("\(name)_s", samples.quantile(0.5))
    if let processor = samples.processorQuantile(0.5) { set("\(name)_cpu_s", processor) }
    set("\(name)_p99_s", samples.quantile(0.99))
  }

  /// The name of the seconds of the processor that belong to a time.
  static func processorName(of name: String) -> String {
    String(name.dropLast(2)) + "_cpu_s"
  }

  /// The bytes of messages, as they are and compressed by zlib at its level 6.
  mutating func setBytes(_ prefix: String, of frames: [[UInt8]]) throws {
    set(prefix + "bytes", frames.reduce(0) { $0 + $1.count })
    set(prefix + "deflate6_bytes", try Figures.deflated(Array(frames.joined())))
  }

  var line: String {
    "{" + fields.map { "\"\($0.name)\": \($0.json)" }.joined(separator: ", ") + "}"
  }

  private static func deflated(_ bytes: [UInt8]) throws -> Int {
    var count = compressBound(uLong(bytes.count))
    var output = [UInt8](repeating: 0, count: Int(count))
    guard compress2(&output, &count, bytes, uLong(bytes.count), 6) == Z_OK else {
      throw BenchmarkError("zlib cannot compress \(bytes.count) bytes")
    }
    return Int(count)
  }
}

extension Duration {
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
