/// What a person can type.
enum Words: Equatable {
  case add(String)
  case text(Int, String)
  case color(Int, StickyNote.Color)
  case remove(Int)
  case list
  case help
  case quit

  static let help = """
    add TEXT        a new note
    text N TEXT     changes the text of note N
    color N COLOR   yellow, pink, blue or green
    rm N            removes note N
    list            shows all notes
    quit            ends; the notes stay
    """

  /// Nil for a line that is none of these.
  init?(_ line: String) {
    let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
    let rest = parts.count > 1 ? parts[1] : ""
    let numbered = rest.split(separator: " ", maxSplits: 1).map(String.init)
    let number = numbered.first.flatMap(Int.init)
    switch (parts.first ?? "", number) {
    case ("add", _) where !rest.isEmpty: self = .add(rest)
    case ("text", let number?) where numbered.count == 2: self = .text(number, numbered[1])
    case ("color", let number?):
      guard numbered.count == 2, let color = StickyNote.Color(rawValue: numbered[1]) else {
        return nil
      }
      self = .color(number, color)
    case ("rm", let number?): self = .remove(number)
    case ("list", _): self = .list
    case ("help", _): self = .help
    case ("quit", _): self = .quit
    default: return nil
    }
  }
}
