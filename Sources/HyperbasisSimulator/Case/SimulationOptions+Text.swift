extension SimulationOptions: CustomStringConvertible, LosslessStringConvertible {
  /// One knob as a word: `name=value`.
  private struct Field {
    let name: String
    let text: (SimulationOptions) -> String
    /// Sets the knob; false for a value that it cannot have.
    let set: (inout SimulationOptions, Substring) -> Bool
  }

  /// All knobs in words, those that are off among them.
  public var description: String {
    SimulationOptions.fields.map { "\($0.name)=\($0.text(self))" }.joined(separator: " ")
  }

  /// Reads ``description``; knobs that are not named stay as ``init()`` has them. Nil for text that is
  /// not of this form, or that names what no world can have.
  public init?(_ description: String) {
    self.init()
    for word in description.split(separator: " ") where !set(word) { return nil }
  }

  /// Sets one knob by a word such as `peers=3`; false, and nothing is set, for what no world can have.
  public mutating func set(_ word: some StringProtocol) -> Bool {
    let parts = Substring(word).split(separator: "=", maxSplits: 1)
    guard parts.count == 2,
      let field = SimulationOptions.fields.first(where: { $0.name == parts[0] })
    else { return false }
    var changed = self
    guard field.set(&changed, parts[1]), changed.isPossible else { return false }
    self = changed
    return true
  }

  /// Whether there is such a world.
  var isPossible: Bool {
    (2...64).contains(peers) && (1...16).contains(spaces) && (0...1_000_000).contains(operations)
      && (1...65_536).contains(anchors) && delay.lowerBound >= 1
      && [operationGap.lowerBound, commitDelay.lowerBound, batchBytes, recentBytes]
        .allSatisfy { $0 >= 0 }
      && arrival >= 1
      && transactionActions.lowerBound >= 1 && transactionActions.upperBound <= 256
  }

  private static var fields: [Field] {
    [
      number("peers", \.peers), number("spaces", \.spaces), number("operations", \.operations),
      number("anchors", \.anchors), choice("topology", \.topology), choice("clocks", \.clocks),
      ratio("largeValues", \.largeValues), ratio("past", \.past),
      ratio("transactions", \.transactions), range("transactionActions", \.transactionActions),
      range("operationGap", \.operationGap), range("delay", \.delay),
      ratio("stragglers", \.stragglers), ratio("crumbs", \.crumbs),
      range("commitDelay", \.commitDelay), ratio("commitFailure", \.commitFailure),
      ratio("needlessDial", \.needlessDial), ratio("silentLoss", \.silentLoss),
      number("batchBytes", \.batchBytes), number("recentBytes", \.recentBytes),
    ]
      + Fault.Kind.allCases.map { kind in ratio(kind.rawValue, \.faults[kind]) }
      + [
        ratio("alike", \.alike), ratio("drag", \.drag), flag("latecomer", \.latecomer),
        ratio("damage", \.damage), number("arrival", \.arrival),
      ]
      + [
        Field(
          name: "plant", text: { $0.plant?.rawValue ?? "none" },
          set: { options, text in
            options.plant = Plant(rawValue: String(text))
            return options.plant != nil || text == "none"
          })
      ]
  }

  private typealias Path<Value> = WritableKeyPath<SimulationOptions, Value>

  private static func number(_ name: String, _ path: Path<Int>) -> Field {
    Field(
      name: name, text: { String($0[keyPath: path]) },
      set: { options, text in Int(text).map { options[keyPath: path] = $0 } != nil })
  }

  private static func flag(_ name: String, _ path: Path<Bool>) -> Field {
    Field(
      name: name, text: { $0[keyPath: path] ? "1" : "0" },
      set: { options, text in
        options[keyPath: path] = text == "1"
        return text == "0" || text == "1"
      })
  }

  private static func ratio(_ name: String, _ path: Path<Ratio>) -> Field {
    Field(
      name: name, text: { $0[keyPath: path].description },
      set: { options, text in Ratio(text).map { options[keyPath: path] = $0 } != nil })
  }

  private static func range(_ name: String, _ path: Path<ClosedRange<Int>>) -> Field {
    Field(
      name: name,
      text: { "\($0[keyPath: path].lowerBound)...\($0[keyPath: path].upperBound)" },
      set: { options, text in
        let ends = text.split(separator: ".").map { Int($0) }
        guard ends.count == 2, let low = ends[0], let high = ends[1], low <= high else {
          return false
        }
        options[keyPath: path] = low...high
        return true
      })
  }

  private static func choice<Choice: RawRepresentable>(
    _ name: String, _ path: Path<Choice>
  ) -> Field where Choice.RawValue == String {
    Field(
      name: name, text: { $0[keyPath: path].rawValue },
      set: { options, text in
        Choice(rawValue: String(text)).map { options[keyPath: path] = $0 } != nil
      })
  }
}
