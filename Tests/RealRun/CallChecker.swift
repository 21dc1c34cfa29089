import HyperbasisCore
import HyperbasisSimulator

/// Each acknowledged call made its change, once and as it was asked for; each change was asked for by
/// a call that was not refused; and what was refused is what had to be.
///
/// It knows calls by what they left in the changes (a number), and those that leave nothing (unset,
/// delete, restore) by their time: all hosts of the lab have one clock.
struct CallChecker {
  private struct Write {
    let stamp: Stamp
    let operation: Operation
  }

  /// Milliseconds by which a stamp may lie outside of its call.
  private static let slack = 3

  private let plan: RealPlan
  private let log: RunLog
  private let peers: [StoppedPeer]
  /// All writes to a register of a space, by whomever.
  private var writes: [SpaceID: [Register: [Write]]] = [:]
  private(set) var faults: [String] = []
  /// By call: the change that it made.
  private(set) var changes: [Int: Change] = [:]
  /// Acknowledged calls that found all as they wanted it.
  private(set) var withoutEffect = 0

  init(_ plan: RealPlan, _ log: RunLog, _ peers: [StoppedPeer]) {
    self.plan = plan
    self.log = log
    self.peers = peers
    for peer in peers {
      for state in peer.states {
        for change in peer.ownChanges(in: state.id) {
          for operation in change.operations {
            writes[state.id, default: [:]][operation.register, default: []]
              .append(Write(stamp: change.stamp, operation: operation))
          }
        }
      }
    }
  }

  mutating func check() {
    for (host, peer) in peers.enumerated() {
      for state in peer.states {
        for change in peer.ownChanges(in: state.id) { match(change, in: state.id, host) }
      }
    }
    for command in plan.commands { check(command) }
    checkOrder()
  }

  // MARK: Each change was asked for

  private mutating func match(_ change: Change, in space: SpaceID, _ host: Int) {
    let name = "\(peers[host].name) change \(change.dot.sequence)"
    if host == 0, change.operations.contains(where: { $0.register == .spaceExistence }) { return }
    guard let command = author(of: change, in: space, host) else {
      faults.append("\(name): no call asked for \(change.operations)")
      return
    }
    let number = command.number
    guard changes.updateValue(change, forKey: number) == nil else {
      faults.append("\(name): call \(number) was carried out twice")
      return
    }
    guard command.host == host, command.space == space, let call = log.calls[number] else {
      faults.append("\(name): call \(number) was not made on this host and space")
      return
    }
    if call.outcome == .refused || call.outcome == .failed {
      faults.append("\(name): call \(number) was \(call.outcome), and was carried out")
    }
    if let text = contentFault(of: change, command, call) {
      faults.append("\(name): call \(number): \(text)")
    }
  }

  private func author(of change: Change, in space: SpaceID, _ host: Int) -> RealPlan.Command? {
    for operation in change.operations {
      switch operation {
      case .metadata(_, RealPlan.numberKey, .int(let number)?): return command(Int(number))
      case .worldMap(let map?):
        return plan.commands.first { if case .map(map) = $0.wish { true } else { false } }
      default: break
      }
    }
    for case .transform(_, let transform) in change.operations {
      return command(Int(transform.position.z))
    }
    let time = Int(change.stamp.timestamp.milliseconds) - log.start
    return plan.commands.first { command in
      guard command.host == host, command.space == space, changes[command.number] == nil,
        let call = log.calls[command.number], call.outcome != .refused,
        call.begun - CallChecker.slack <= time,
        call.outcome == .unknown || time <= call.ended + CallChecker.slack
      else { return false }
      return wants(command, change.operations)
    }
  }

  private func command(_ number: Int) -> RealPlan.Command? {
    plan.commands.indices.contains(number - 1) ? plan.commands[number - 1] : nil
  }

  private func wants(_ command: RealPlan.Command, _ operations: [Operation]) -> Bool {
    guard operations.count == 1 else { return false }
    return switch (command.wish, operations[0]) {
    case (.unset(let id, let name), .metadata(let anchor, let key, nil)):
      anchor == id && key == name
    case (.delete(let id), .existence(let anchor, let existence)):
      anchor == id && existence.deleted != nil
    case (.restore(let id), .existence(let anchor, let existence)):
      anchor == id && existence.restored != nil
    default: false
    }
  }

  /// What the change has too much or too little.
  private func contentFault(
    of change: Change, _ command: RealPlan.Command, _ call: RunLog.Call
  ) -> String? {
    guard case .write(let parts) = command.wish else { return nil }
    for operation in change.operations {
      let isWanted = parts.contains { part in
        if operation == part.mark || part.others.contains(operation) { return true }
        guard part.creates, case .existence(part.anchor, let existence) = operation else {
          return false
        }
        return existence.deleted == nil && existence.restored == nil
      }
      if !isWanted { return "it did not ask for \(operation)" }
    }
    for part in parts {
      guard change.operations.contains(part.mark) else {
        if parts.count > 1 && mayHaveBeenDeleted(part.anchor, command, call) { continue }
        return "\(part.mark) is missing"
      }
      for other in part.others where !change.operations.contains(other) {
        let mayBeSo = mayHaveBeen(other.register, command, call) { $0 == other }
        if !mayBeSo { return "\(other) is missing" }
      }
    }
    return nil
  }

  // MARK: Each call did what it said

  private mutating func check(_ command: RealPlan.Command) {
    let number = command.number
    guard let call = log.calls[number] else { return }
    func note(_ text: String) {
      let words = command.words.joined(separator: " ").prefix(120)
      faults.append(
        "\(peers[command.host].name) call \(number) at \(call.begun) ms: \(text): \(words)")
    }
    switch call.outcome {
    case .failed: note("it failed (\(call.complaint))")
    case .unknown: break
    case .refused:
      if !mayBeRefused(command, call) { note("it was refused (\(call.complaint))") }
    case .acknowledged where changes[number] == nil:
      withoutEffect += 1
      if !mayHaveNoEffect(command, call) { note("it was acknowledged, and its change is lost") }
    case .acknowledged: break
    }
  }

  private func mayHaveNoEffect(_ command: RealPlan.Command, _ call: RunLog.Call) -> Bool {
    switch command.wish {
    case .join: true
    case .map: false
    case .write(let parts):
      command.words[0] == "import"
        && parts.allSatisfy { mayHaveBeenDeleted($0.anchor, command, call) }
    case .unset(let anchor, let key):
      mayHaveBeen(.metadata(anchor, key), command, call) { $0 == .metadata(anchor, key, nil) }
    case .delete(let anchor): mayHaveBeenDeleted(anchor, command, call)
    case .restore(let anchor):
      mayHaveBeen(.existence(anchor), command, call) { !isDeletion($0) }
    }
  }

  private func mayBeRefused(_ command: RealPlan.Command, _ call: RunLog.Call) -> Bool {
    let anchor: AnchorID
    switch command.wish {
    case .write(let parts): anchor = parts[0].anchor
    case .unset(let id, _), .delete(let id), .restore(let id): anchor = id
    case .map, .join: return false
    }
    if call.complaint.contains("is deleted") { return mayHaveBeenDeleted(anchor, command, call) }
    guard call.complaint.contains("has an anchor") else { return false }
    // Who wrote to an anchor knows it.
    return !earlier(.existence(anchor), command, call)
  }

  private mutating func checkOrder() {
    var last: [[Int]: (number: Int, ended: Int, sequence: UInt64)] = [:]
    let calls = plan.commands.filter { log.calls[$0.number]?.outcome == .acknowledged }
      .sorted { log.calls[$0.number]!.begun < log.calls[$1.number]!.begun }
    for command in calls {
      guard let change = changes[command.number], let call = log.calls[command.number] else {
        continue
      }
      let author = [command.host, plan.spaceIDs.firstIndex(of: command.space)!]
      if let before = last[author], before.sequence >= change.dot.sequence {
        faults.append(
          "\(peers[command.host].name): call \(command.number) came after \(before.number), "
            + "and its change before")
      }
      last[author] = (command.number, call.ended, change.dot.sequence)
    }
  }

  // MARK: What may have been

  private func isDeletion(_ operation: Operation) -> Bool {
    if case .existence(_, let existence) = operation { existence.deleted != nil } else { false }
  }

  private func mayHaveBeenDeleted(
    _ anchor: AnchorID, _ command: RealPlan.Command, _ call: RunLog.Call
  ) -> Bool {
    mayHaveBeen(.existence(anchor), command, call, isDeletion)
  }

  /// Whether the host itself wrote to a register before a call.
  private func earlier(
    _ register: Register, _ command: RealPlan.Command, _ call: RunLog.Call
  ) -> Bool {
    ownBefore(register, command, call) != nil
  }

  private func ownBefore(
    _ register: Register, _ command: RealPlan.Command, _ call: RunLog.Call
  ) -> Write? {
    let replica = peers[command.host].replica
    return (writes[command.space]?[register] ?? [])
      .filter { $0.stamp.dot.replica == replica && time(of: $0) < call.begun - CallChecker.slack }
      .max { $0.stamp < $1.stamp }
  }

  private func time(of write: Write) -> Int {
    Int(write.stamp.timestamp.milliseconds) - log.start
  }

  /// Whether a register may have had such a value on a call's host when it was carried out: the host's
  /// own last write to it is such a one, or one that existed by then and is greater. Where the host
  /// wrote none it may have had that of anybody, or nothing.
  private func mayHaveBeen(
    _ register: Register, _ command: RealPlan.Command, _ call: RunLog.Call,
    _ isSuch: (Operation) -> Bool
  ) -> Bool {
    // A call whose end is unknown may have been carried out later.
    let end = call.outcome == .unknown ? Int.max : call.ended + CallChecker.slack
    let all = (writes[command.space]?[register] ?? []).filter { time(of: $0) <= end }
    if let own = ownBefore(register, command, call) {
      return isSuch(own.operation) || all.contains { own.stamp < $0.stamp && isSuch($0.operation) }
    }
    if case .metadata(let anchor, let key) = register, isSuch(.metadata(anchor, key, nil)) {
      return true
    }
    return all.contains { isSuch($0.operation) }
  }
}
