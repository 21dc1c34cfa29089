import Hyperbasis
import HyperbasisBlob
import HyperbasisCore
import HyperbasisSimulator

/// A case of the simulator as calls of the real command on real hosts, and as what is done to them.
///
/// The same case, seconds and directory give the same plan.
struct RealPlan {
  /// One call of `hyperbasis`, on one host.
  struct Command {
    /// From 1: what it writes bears this number, so that its change is found again.
    let number: Int
    let host: Int
    let space: SpaceID
    /// After the start.
    let milliseconds: Int
    /// Milliseconds after which it is killed.
    let patience: Int
    let words: [String]
    /// The file that it reads.
    let file: [UInt8]?
    let wish: Wish
  }

  /// What a command wants to be so.
  enum Wish {
    /// Anchors as they are wanted: all in one change.
    case write([Part])
    case unset(AnchorID, Key)
    case delete(AnchorID)
    case restore(AnchorID)
    case map(MapReference)
    case join
  }

  /// What is written to one anchor.
  struct Part {
    let anchor: AnchorID
    /// By this operation a change is known to be that of its command.
    let mark: Operation
    /// Written as well, unless it is so already.
    var others: [Operation] = []
    /// Whether the anchor is made where it is missing.
    var creates = false
  }

  /// How long a command may usually take: longer than any pause of its peer.
  static let usualPatience = 15_000
  /// The key under which a command leaves its number.
  static let numberKey: Key = "n"

  let hosts: Int
  let seconds: Int
  let directory: String
  private(set) var commands: [Command] = []
  /// What there is no command for, and how often it was asked for.
  private(set) var skipped: [String: Int] = [:]
  private(set) var faults: FaultPlan

  private let spaces: Int
  private let anchors: Int
  private let areLarge: Bool
  private var random: RandomSource

  init(_ found: SimulationCase, seconds: Int, directory: String) {
    self.seconds = seconds
    self.directory = directory
    hosts = found.options.peers
    spaces = found.options.spaces
    anchors = found.options.anchors
    areLarge = found.options.largeValues.part > 0
    random = RandomSource(seed: found.seed ^ 0x7061_7469_656e_6365)
    let last = max(1, found.steps.map(\.time).max() ?? 1, found.faults.last?.time ?? 1)
    let scale = { $0 * seconds * 1_000 / last }
    faults = FaultPlan(found.faults, hosts: hosts, seconds: seconds, scale: scale)
    for step in found.steps.sorted(by: { $0.time < $1.time }) { add(step, at: scale(step.time)) }
    skipped.merge(faults.skipped) { $0 + $1 }
  }

  static func spaceID(_ number: Int) -> SpaceID {
    SpaceID(UInt128(number + 1) &* 0xd1b5_4a32_d192_ed03_8cb9_2ba7_2f3d_8dd7)
  }

  var spaceIDs: [SpaceID] { (0..<spaces).map(RealPlan.spaceID) }

  // MARK: Steps

  private mutating func add(_ step: Step, at milliseconds: Int) {
    if step.past != .now { skipped["past (made now)", default: 0] += 1 }
    let together = step.actions.filter { [.create, .move, .set].contains($0.kind) }
    if together.count > 1 { addImport(together, step, at: milliseconds) }
    for action in step.actions
    where together.count < 2 || ![.create, .move, .set].contains(action.kind) {
      add(action, step, at: milliseconds)
    }
  }

  private mutating func add(_ action: Step.Action, _ step: Step, at milliseconds: Int) {
    let number = commands.count + 1
    let (id, space) = (anchorID(action, step), RealPlan.spaceID(step.space))
    let key = AwkwardValues.key(action.key)
    let marked = Operation.metadata(id, RealPlan.numberKey, .int(Int64(number)))
    let place = place(action, number)
    var file: [UInt8]?
    // The space is left out where only one can be meant.
    let within = spaces == 1 ? [] : ["--space", "\(space)"]
    let words: [String]
    let wish: Wish
    switch action.kind {
    case .create:
      words =
        ["anchor", "put", "\(space)", "--id", "\(id)", "--at", place.text]
        + ["--set", "kind=\"wall\"", "--set", "\(RealPlan.numberKey.text)=\(number)"]
      let others: [Operation] = [
        .transform(id, place.transform), .metadata(id, "kind", .string("wall")),
      ]
      wish = .write([Part(anchor: id, mark: marked, others: others, creates: true)])
    case .move:
      words = ["anchor", "move", "\(id)", "--at", place.text] + within
      wish = .write([Part(anchor: id, mark: .transform(id, place.transform))])
    case .set, .unset:
      guard !key.text.utf8.contains(0) else { return skip("a key with NUL on the command line") }
      guard action.kind == .set else {
        words = ["anchor", "unset", "\(id)", key.text] + within
        wish = .unset(id, key)
        break
      }
      let value = AwkwardValues.value(action.value, areLarge: areLarge)
      words =
        ["anchor", "set", "\(id)", "\(key.text)=\(JSON.write(value))"]
        + ["\(RealPlan.numberKey.text)=\(number)"] + within
      wish = .write([Part(anchor: id, mark: marked, others: [.metadata(id, key, value)])])
    case .delete, .restore:
      words = ["anchor", "\(action.kind)", "\(id)"] + within
      wish = action.kind == .delete ? .delete(id) : .restore(id)
    case .map:
      guard action.value % 8 != 0 else { return skip("removing a world map") }
      let bytes = SimulatedMap.bytes(Int(action.value) % SimulatedMap.numbers.count)
      file = bytes + Array("\(number)".utf8)
      words = ["map", "set", "\(space)", path(number)]
      guard let map = try? MapManifest(cutting: file!) else { preconditionFailure("a small map") }
      wish = .map(map.reference)
    case .join:
      words = ["space", "join", "\(space)"]
      wish = .join
    case .rollback, .rename, .deleteSpace, .restoreSpace, .setAlike, .retain, .retire:
      return skip("\(action.kind)")
    }
    append(words, file: file, wish, step, at: milliseconds)
  }

  /// Several writes as one import, which makes one change of them.
  private mutating func addImport(
    _ actions: [Step.Action], _ step: Step, at milliseconds: Int
  ) {
    let number = commands.count + 1
    var lines: [String] = []
    var parts: [Part] = []
    var seen = Set<AnchorID>()
    for action in actions {
      let id = anchorID(action, step)
      guard seen.insert(id).inserted else { continue }
      let place = place(action, number)
      var metadata = [
        Value.Object.Entry(key: RealPlan.numberKey, value: .int(Int64(number)))
      ]
      if action.kind == .set {
        let value = AwkwardValues.value(action.value, areLarge: areLarge)
        metadata.append(.init(key: AwkwardValues.key(action.key), value: value))
      }
      let others = metadata.dropFirst().map { Operation.metadata(id, $0.key, $0.value) }
      parts.append(
        Part(
          anchor: id, mark: .metadata(id, RealPlan.numberKey, .int(Int64(number))),
          others: [.transform(id, place.transform)] + others, creates: true))
      lines.append(
        "{\"id\":\"\(id)\",\"position\":[\(place.text)],\"metadata\":"
          + JSON.write(.object(Value.Object(metadata)!)) + "}\n")
    }
    append(
      ["import", "\(RealPlan.spaceID(step.space))", path(number)], file: Array(lines.joined().utf8),
      .write(parts), step, at: milliseconds)
  }

  private mutating func append(
    _ words: [String], file: [UInt8]?, _ wish: Wish, _ step: Step, at milliseconds: Int
  ) {
    let isImpatient = random.chance(Ratio(1, in: 15))
    let patience = isImpatient ? random.within(1...150) : RealPlan.usualPatience
    commands.append(
      Command(
        number: commands.count + 1, host: step.node % hosts, space: RealPlan.spaceID(step.space),
        milliseconds: milliseconds, patience: patience, words: words, file: file, wish: wish))
  }

  private mutating func skip(_ what: String) { skipped[what, default: 0] += 1 }

  /// Each space has anchors of its own: a command refuses an id that lives in another one.
  private func anchorID(_ action: Step.Action, _ step: Step) -> AnchorID {
    Step.anchorID(action.anchor % anchors + step.space * anchors)
  }

  private func path(_ number: Int) -> String { "\(directory)/files/\(number)" }

  /// An awkward place whose last coordinate is the command's number.
  private func place(
    _ action: Step.Action, _ number: Int
  ) -> (text: String, transform: Transform) {
    let (x, y, _) = AwkwardValues.transform(action.key, action.value).position
    guard let transform = try? Transform.identity.moved(to: (x, y, Float(number))) else {
      preconditionFailure("the numbers are finite")
    }
    return ("\(JSON.write(x)),\(JSON.write(y)),\(number)", transform)
  }
}
