import HyperbasisCore

/// The words of a call that were understood, and what is wrong with the others.
///
/// Options may stand anywhere; `--` ends them, so that a value may begin with a dash.
struct Words {
  private(set) var positional: [String] = []
  private var options: [(name: String, value: String?)] = []

  /// - Parameters:
  ///   - valued: the options that take a value, as the next word or after `=`.
  ///   - flags: the options that take none.
  /// - Throws: `UsageError` for an unknown option or a missing value.
  init(_ words: [String], valued: Set<String>, flags: Set<String>) throws(UsageError) {
    var rest = words[...]
    var optionsEnded = false
    while let word = rest.popFirst() {
      guard !optionsEnded, word.hasPrefix("--") else {
        positional.append(word)
        continue
      }
      if word == "--" {
        optionsEnded = true
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      if flags.contains(name) {
        guard parts.count == 1 else { throw UsageError("\(name) takes no value") }
        options.append((name, nil))
      } else if valued.contains(name) {
        guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
          throw UsageError("\(name) needs a value")
        }
        options.append((name, value))
      } else {
        throw UsageError("unknown option \(name.printable)")
      }
    }
  }

  func has(_ flag: String) -> Bool {
    options.contains { $0.name == flag }
  }

  /// - Throws: `UsageError` when the option is given twice.
  func value(_ name: String) throws(UsageError) -> String? {
    let values = values(name)
    guard values.count <= 1 else { throw UsageError("\(name) is given twice") }
    return values.first
  }

  func values(_ name: String) -> [String] {
    options.filter { $0.name == name }.compactMap(\.value)
  }

  /// - Throws: `UsageError` unless there are exactly as many words as names.
  func expect(_ names: String...) throws(UsageError) {
    guard positional.count >= names.count else {
      throw UsageError("\(names[positional.count]) is missing")
    }
    guard positional.count <= names.count else {
      throw UsageError("'\(positional[names.count])' is one word too many")
    }
  }
}

/// The call is not one that exists: exit status 2.
struct UsageError: Error, CustomStringConvertible {
  let description: String
  /// The command that says how it is called.
  let help: String

  init(_ description: String, help: String = "hyperbasis --help") {
    self.description = description
    self.help = help
  }
}

/// The call is fine and failed: exit status 1.
struct CommandError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
