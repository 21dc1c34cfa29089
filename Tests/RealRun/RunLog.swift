/// What the lab wrote down while a plan ran: one line for each call and for each fault.
///
/// ```text
/// begun ended host number outcome words
///  2107  2161 host2 17 acknowledged anchor move ...
///  3000  3009 host1 - done kill host1
/// ```
///
/// Times are milliseconds after the start. A call is `acknowledged` (exit status 0), `refused` (1) or
/// `unknown`: it was killed, ran out of time, or its peer went away, and it may have been done or not.
struct RunLog {
  enum Outcome: String {
    case acknowledged, refused, unknown
    /// The call was not one that exists, or crashed: a fault of the plan or of the command.
    case failed
  }

  struct Call {
    let begun: Int
    let ended: Int
    let outcome: Outcome
    /// What it said on standard error, its first line.
    let complaint: String
  }

  /// Milliseconds since 1970 at the start.
  let start: Int
  private(set) var calls: [Int: Call] = [:]
  /// How often each verb of the faults was carried out.
  private(set) var deeds: [String: Int] = [:]

  /// Reads `log` and `start` of a run's directory; nil when a line is of another form.
  init?(directory: String) {
    guard let text = Files.read("\(directory)/log"), let begin = Files.read("\(directory)/start"),
      let start = Int(begin.split(separator: "\n").first ?? "")
    else { return nil }
    self.start = start
    for line in text.split(separator: "\n").dropFirst() {
      let words = line.split(separator: " ", maxSplits: 5)
      guard words.count >= 5, let begun = Int(words[0]), let ended = Int(words[1]) else {
        return nil
      }
      guard let number = Int(words[3]) else {
        let verb = words.count > 5 ? words[5].prefix { $0 != " " } : ""
        if words[4] == "done" { deeds[String(verb), default: 0] += 1 }
        continue
      }
      guard let outcome = Outcome(rawValue: String(words[4])) else { return nil }
      let complaint = Files.read("\(directory)/errors/\(number)") ?? ""
      calls[number] = Call(
        begun: begun, ended: ended, outcome: outcome,
        complaint: String(complaint.split(separator: "\n").first ?? ""))
    }
  }

  func count(_ outcome: Outcome) -> Int { calls.values.count { $0.outcome == outcome } }
}
