import HyperbasisCore

extension SimulationOptions: CustomStringConvertible, LosslessStringConvertible {
  /// One knob as a word: `name=value`.
  private struct Field: Sendable {
    let name: String
    /// The values that it can have, in words.
    let form: String
    let text: @Sendable (SimulationOptions) -> String
    /// Sets the knob; false for a value that it cannot have.
    let set: @Sendable (inout SimulationOptions, Substring) -> Bool
  }

  /// All knobs in words, those that are off among them.
  public var description: String {
    SimulationOptions.fields.map { "\($0.name)=\($0.text(self))" }.joined(separator: " ")
  }

  /// Reads ``description``; knobs that are not named stay as ``init()`` has them. Nil for text that is
  /// not of this form, or that names what no world can have.
  public init?(_ description: String) {
    do { try self.init(text: description) } catch { return nil }
  }

  /// Reads ``description``, or some of its words; knobs that are not named stay as ``init()`` has them.
  ///
  /// ```swift
  /// let options = try SimulationOptions(text: "peers=3 clocks=frozen partition=1/10")
  /// ```
  ///
  /// - Throws: ``SimulationOptionsError`` naming the first word that is wrong, or the knob that is too
  ///   large beside the others.
  public init(text: String) throws(SimulationOptionsError) {
    self.init()
    for word in text.split(separator: " ") { try read(word) }
    if let excess { throw excess }
  }

  /// The options of a seed, with some knobs set by words such as `peers=3`. Others are lowered where
  /// they would make a world too large.
  ///
  /// - Throws: ``SimulationOptionsError`` naming the first word that is wrong, or the knob that is too
  ///   large beside the other words, whatever the seed.
  package static func drawn(
    from seed: UInt64, with words: [String]
  ) throws(SimulationOptionsError) -> SimulationOptions {
    var options = drawn(from: seed)
    for word in words { try options.read(word) }
    let names = words.map { String($0.prefix { $0 != "=" }) }
    options.fit(keeping: Set(names))
    if let excess = options.excess { throw excess }
    return options
  }

  /// Sets one knob by a word such as `peers=3`; false, and nothing is set, for what no world can have.
  /// Whether all knobs together make a world that is too large is not looked at.
  public mutating func set(_ word: some StringProtocol) -> Bool {
    do { try read(word) } catch { return false }
    return true
  }

  /// Sets one knob by a word such as `peers=3`.
  package mutating func read(_ word: some StringProtocol) throws(SimulationOptionsError) {
    let parts = Substring(word).split(
      separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let field = SimulationOptions.fields.first(where: { $0.name == parts[0] }) else {
      let names = SimulationOptions.fields.map(\.name).joined(separator: ", ")
      throw SimulationOptionsError(
        word: String(word),
        reason: "no knob has the name \(String(parts[0]).shown); there are \(names)")
    }
    var changed = self
    guard parts.count == 2, field.set(&changed, parts[1]), changed.isPossible else {
      throw SimulationOptionsError(
        word: String(word), reason: "the value of \(field.name) is \(field.form)")
    }
    self = changed
  }

  /// Whether there is such a world.
  var isPossible: Bool {
    (2...64).contains(peers) && (1...16).contains(spaces) && (0...100_000).contains(operations)
      && (1...65_536).contains(anchors) && delay.lowerBound >= 1
      && [operationGap.lowerBound, commitDelay.lowerBound, recentBytes].allSatisfy { $0 >= 0 }
      && arrival >= 1 && batchBytes >= 1 && operationGap.upperBound <= 3_600_000
      && delay.upperBound <= 1_000 && commitDelay.upperBound <= 1_000
      && transactionActions.lowerBound >= 1 && transactionActions.upperBound <= 256
  }

  /// Made once: a key path is looked up by name.
  private static let fields: [Field] =
    [
      number("peers", \.peers, "2 to 64"), number("spaces", \.spaces, "1 to 16"),
      number("operations", \.operations, "0 to 100000"),
      number("anchors", \.anchors, "1 to 65536"), choice("topology", \.topology),
      choice("clocks", \.clocks),
      ratio("largeValues", \.largeValues), ratio("past", \.past),
      ratio("transactions", \.transactions),
      range("transactionActions", \.transactionActions, "1 to 256"),
      range("operationGap", \.operationGap, "0 to 3600000"), range("delay", \.delay, "1 to 1000"),
      ratio("stragglers", \.stragglers), ratio("crumbs", \.crumbs),
      range("commitDelay", \.commitDelay, "0 to 1000"), ratio("commitFailure", \.commitFailure),
      ratio("needlessDial", \.needlessDial), ratio("silentLoss", \.silentLoss),
      number("batchBytes", \.batchBytes, "a number of bytes, at least 1"),
      number("recentBytes", \.recentBytes, "a number of bytes"),
    ]
    + Fault.Kind.allCases.map { kind in ratio(kind.rawValue, \.faults[kind]) }
    + [
      ratio("alike", \.alike), ratio("drag", \.drag), ratio("retention", \.retention),
      flag("latecomer", \.latecomer),
      ratio("damage", \.damage), number("arrival", \.arrival, "a number of bytes, at least 1"),
    ]
    + [
      Field(
        name: "plant",
        form: (["none"] + Plant.allCases.map(\.rawValue)).joined(separator: ", or "),
        text: { $0.plant?.rawValue ?? "none" },
        set: { options, text in
          options.plant = Plant(rawValue: String(text))
          return options.plant != nil || text == "none"
        })
    ]

  private typealias Path<Value> = WritableKeyPath<SimulationOptions, Value> & Sendable

  private static func number(_ name: String, _ path: Path<Int>, _ form: String) -> Field {
    Field(
      name: name, form: form, text: { String($0[keyPath: path]) },
      set: { options, text in Int(text).map { options[keyPath: path] = $0 } != nil })
  }

  private static func flag(_ name: String, _ path: Path<Bool>) -> Field {
    Field(
      name: name, form: "0 or 1", text: { $0[keyPath: path] ? "1" : "0" },
      set: { options, text in
        options[keyPath: path] = text == "1"
        return text == "0" || text == "1"
      })
  }

  private static func ratio(_ name: String, _ path: Path<Ratio>) -> Field {
    Field(
      name: name, form: "a ratio such as 0/1 or 1/20", text: { $0[keyPath: path].description },
      set: { options, text in Ratio(text).map { options[keyPath: path] = $0 } != nil })
  }

  private static func range(
    _ name: String, _ path: Path<ClosedRange<Int>>, _ within: String
  ) -> Field {
    Field(
      name: name, form: "a range such as 1...30, of numbers from \(within)",
      text: { "\($0[keyPath: path].lowerBound)...\($0[keyPath: path].upperBound)" },
      set: { options, text in
        let ends = text.split(separator: "...", omittingEmptySubsequences: false).map { Int($0) }
        guard ends.count == 2, let low = ends[0], let high = ends[1], low <= high else {
          return false
        }
        options[keyPath: path] = low...high
        return true
      })
  }

  private static func choice<Choice: RawRepresentable & CaseIterable & Sendable>(
    _ name: String, _ path: Path<Choice>
  ) -> Field where Choice.RawValue == String {
    Field(
      name: name, form: Choice.allCases.map(\.rawValue).joined(separator: ", or "),
      text: { $0[keyPath: path].rawValue },
      set: { options, text in
        Choice(rawValue: String(text)).map { options[keyPath: path] = $0 } != nil
      })
  }
}

/// A word of a text of options that sets no knob.
public struct SimulationOptionsError: Error, Equatable, CustomStringConvertible {
  /// What stands there.
  public let word: String
  /// What is wrong with it: its name, or its value.
  let reason: String

  /// As `"peers=1": the value of peers is 2 to 64`.
  public var description: String { "\(word.shown): \(reason)" }
}
