extension Key {
  /// The text for a message; see ``Swift/String/shown``.
  package var shown: String { text.shown }
}

extension String {
  /// This text in quotes, cut to 40 characters and safe to print on a terminal.
  ///
  /// ```swift
  /// print("a\u{1B}[2J".shown)  // "a\u{1B}[2J"
  /// ```
  ///
  /// Control and format characters (escape sequences, text direction) are written as escapes, so a
  /// hostile text cannot disturb the line that reports it.
  package var shown: String { shown(most: 40) }

  /// The same, cut to so many characters.
  package func shown(most: Int) -> String {
    var shown = "\""
    for (index, scalar) in unicodeScalars.enumerated() {
      guard index < most else {
        shown += "…"
        break
      }
      if scalar == "\"" || scalar == "\\" { shown += "\\" }
      shown += scalar.printable
    }
    return shown + "\""
  }

  /// This text with control and format characters written as escapes: safe to print on a terminal.
  package var printable: String {
    unicodeScalars.reduce(into: "") { $0 += $1.printable }
  }
}

extension Unicode.Scalar {
  fileprivate var printable: String {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
      "\\u{\(String(value, radix: 16, uppercase: true))}"
    default: String(self)
    }
  }
}
