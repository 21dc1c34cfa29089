import HyperbasisCore

/// What was read of the text of a case so far.
struct CaseReader {
  private(set) var seed: UInt64?
  private(set) var options: SimulationOptions?
  private(set) var bytes: [UInt8] = []
  private(set) var faults: [Fault] = []

  /// Why a line cannot be read, where more can be said than that.
  struct Unreadable: Error {
    let text: String?
  }

  /// Reads a line that is neither empty nor a comment.
  mutating func read(_ line: Substring) throws(Unreadable) {
    let words = line.split(separator: " ", maxSplits: 1)
    let rest = words.count > 1 ? words[1] : ""
    switch words[0] {
    case "hyperbasis": if rest == "case 1" { return }
    case "seed":
      seed = UInt64(rest)
      if seed != nil { return }
    case "options":
      do { options = try SimulationOptions(text: String(rest)) } catch {
        throw Unreadable(text: "\(error)")
      }
      return
    case "operation":
      if let step = CaseReader.bytes(hex: rest.prefix { $0 != " " }) {
        bytes += step
        return
      }
    case "fault":
      guard faults.count < SimulationOptions.Most.faults else {
        throw Unreadable(text: "a world has at most \(SimulationOptions.Most.faults) faults")
      }
      if let fault = Fault(rest) {
        faults.append(fault)
        return
      }
    default: break
    }
    throw Unreadable(text: nil)
  }

  private static func bytes(hex: Substring) -> [UInt8]? {
    let digits = hex.map { $0.hexDigitValue }
    guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map {
      UInt8(digits[$0]! * 16 + digits[$0 + 1]!)
    }
  }
}

/// A line of a case that is not of the form that cases have.
public struct SimulationCaseError: Error, Equatable, CustomStringConvertible {
  /// The first line is 1.
  public let line: Int
  /// What stands there.
  public let text: String
  /// What is wrong with it; nil where its form is.
  let reason: String?

  /// As `line 3 of the case cannot be read: "operation 0g"`. A long line is cut, and what would
  /// disturb a terminal is written as escapes.
  public var description: String {
    "line \(line) of the case cannot be read: \(text.shown(most: 80))"
      + (reason.map { ": " + $0 } ?? "")
  }
}

extension Fault {
  /// Reads `1200 cut 5 9`, and leaves out what stands behind.
  fileprivate init?(_ text: Substring) {
    let words = text.split(separator: " ")
    guard words.count >= 4, let time = Int(words[0]), (0...1 << 24).contains(time),
      let kind = Kind(rawValue: String(words[1])), let first = UInt32(words[2]),
      let second = UInt32(words[3])
    else { return nil }
    self.init(at: time, kind, first: first, second: second)
  }
}
