/// How large a world can be, so that one takes seconds and not hours: products of knobs, each of which
/// is legal alone.
extension SimulationOptions {
  /// The most that a world can have.
  enum Most {
    /// Links times peers, times spaces: what one peer does comes to all others on many ways.
    static let linksPeersSpaces = 131_072
    /// Operations times the peers that they come to.
    static let deliveries = 200_000
    /// How many operations one with a large value counts for.
    static let largeValueWeight = 100
    /// Milliseconds of a course: about four hours and a half, as many as the bytes of a step can tell.
    static let milliseconds = 1 << 24
    /// Links times milliseconds of a course: links talk when nothing happens, too.
    static let linkMilliseconds = 1 << 28
    /// Faults of a course.
    static let faults = 10_000
    /// Milliseconds that an edit may take from the first to the last of all peers in a row: the last
    /// checks wait for it.
    static let pathMilliseconds = 8_000
  }

  /// What is too much about a world of these options, by the knob that is best lowered; nil when it
  /// can be run.
  package var excess: SimulationOptionsError? {
    if spaces > mostSpaces {
      return SimulationOptionsError(
        word: "spaces=\(spaces)",
        reason: "\(peers) peers with the topology \(topology.rawValue) share at most \(mostSpaces)")
    }
    if operations > mostOperations {
      let large = largeValues.part > 0 ? " where values are large" : ""
      return SimulationOptionsError(
        word: "operations=\(operations)",
        reason: "\(peers) peers are asked for at most \(mostOperations)\(large)")
    }
    if operationGap.upperBound > mostGap {
      return SimulationOptionsError(
        word: "operationGap=\(operationGap.lowerBound)...\(operationGap.upperBound)",
        reason:
          "with \(operations) operations a gap is at most \(mostGap) ms: a course has at most "
          + "\(mostMilliseconds) ms")
    }
    if delay.upperBound + commitDelay.upperBound > mostHop {
      let (name, range) =
        delay.upperBound >= commitDelay.upperBound ? ("delay", delay) : ("commitDelay", commitDelay)
      return SimulationOptionsError(
        word: "\(name)=\(range.lowerBound)...\(range.upperBound)",
        reason:
          "with \(peers) peers delay and commitDelay together are at most \(mostHop) ms: an edit has to "
          + "pass all of them in \(Most.pathMilliseconds) ms")
    }
    return nil
  }

  /// Lowers knobs until a world can be run, all but those that are named: what they are too large
  /// for together is still ``excess``.
  package mutating func fit(keeping names: Set<String>) {
    if spaces > mostSpaces {
      if !names.contains("spaces") {
        spaces = mostSpaces
      } else if !names.contains("peers") {
        while spaces > mostSpaces { peers -= 1 }
      } else if !names.contains("topology") {
        topology = .ring
      }
    }
    if operations > mostOperations {
      if !names.contains("largeValues") { largeValues = .never }
      if !names.contains("peers") {
        while operations > mostOperations, peers > 2 { peers -= 1 }
      }
      if !names.contains("operations") { operations = min(operations, mostOperations) }
    }
    if operationGap.upperBound > mostGap {
      if !names.contains("operationGap") {
        operationGap = min(operationGap.lowerBound, mostGap)...mostGap
      } else if !names.contains("operations") {
        operations = mostMilliseconds / operationGap.upperBound
      }
    }
    fitHop(keeping: names)
  }

  private mutating func fitHop(keeping names: Set<String>) {
    if !names.contains("commitDelay") {
      commitDelay = commitDelay.clamped(
        to: 0...max(0, min(mostHop / 2, mostHop - delay.upperBound)))
    }
    if !names.contains("delay") {
      delay = delay.clamped(to: 1...max(1, mostHop - commitDelay.upperBound))
    }
    while !names.contains("peers"), peers > 2, delay.upperBound + commitDelay.upperBound > mostHop {
      peers -= 1
    }
  }

  /// Pairs of peers that may dial each other.
  private var links: Int {
    switch topology {
    case .full: peers * (peers - 1) / 2
    case .ring: peers
    case .chain, .star: peers - 1
    }
  }

  private var mostSpaces: Int { min(16, Most.linksPeersSpaces / (links * peers)) }

  /// For so many peers.
  var mostOperations: Int {
    let share = Double(largeValues.part) / Double(largeValues.whole)
    return Most.deliveries / peers / (1 + Int(share * Double(Most.largeValueWeight)))
  }

  /// Of a course with so many links.
  var mostMilliseconds: Int { min(Most.milliseconds, Most.linkMilliseconds / links) }

  /// From one peer to the next.
  private var mostHop: Int { Most.pathMilliseconds / peers }

  private var mostGap: Int { operations == 0 ? Int.max : mostMilliseconds / operations }
}
