import HyperbasisCore

/// A space as one simulated device shows it: the anchors that live, by name.
///
/// ```swift
/// space["lamp"] = SimulatedAnchor(metadata: ["colour": "red"])  // makes it, or replaces it
/// space["lamp"]?.metadata["colour"] = "blue"                     // nothing where there is no lamp
/// space["votes", default: .init()].metadata["ada"] = true        // makes it where there is none
/// space["lamp"] = nil                                            // deletes it
/// ```
///
/// A name stands for an anchor's id: devices that use one name mean one anchor, also when both have made
/// it. For an anchor that nobody else shall have made, draw the name together with the operation.
public struct SimulatedSpace: Sendable {
  /// The id of the store that shows it, as `HBStorage.actorId`. A device whose disk was brought back from
  /// a copy has another one from then on.
  public let actorID: String

  /// What the device's wall clock shows, in milliseconds since 1970. Clocks are up to 100 seconds apart
  /// here, and jump.
  public let clockMilliseconds: Int

  /// By name, always in the same order: those that live.
  private var names: [Key] = []
  private var all: [SimulatedAnchor] = []

  init(actorID: String, clockMilliseconds: Int, anchors: [(name: Key, anchor: SimulatedAnchor)]) {
    self.actorID = actorID
    self.clockMilliseconds = clockMilliseconds
    let sorted = anchors.sorted { $0.name < $1.name }
    names = sorted.map(\.name)
    all = sorted.map(\.anchor)
  }

  /// The anchors that live, in ascending order of their names. O(n).
  ///
  /// ```swift
  /// let total = space.anchors.reduce(0) { $0 + ($1.value.metadata["price"]?.intValue ?? 0) }
  /// ```
  public var anchors: [(name: String, value: SimulatedAnchor)] {
    zip(names, all).map { ($0.text, $1) }
  }

  /// The anchor of a name; nil where there is none or it was deleted. Setting nil deletes it, and setting
  /// an anchor where one was deleted brings that back. O(log n) to read, O(n) to make or delete.
  public subscript(name: String) -> SimulatedAnchor? {
    get {
      let (index, isThere) = place(of: Key(name))
      return isThere ? all[index] : nil
    }
    set {
      let (index, isThere) = place(of: Key(name))
      switch (newValue, isThere) {
      case (let anchor?, true): all[index] = anchor
      case (let anchor?, false):
        names.insert(Key(name), at: index)
        all.insert(anchor, at: index)
      case (nil, true):
        names.remove(at: index)
        all.remove(at: index)
      case (nil, false): break
      }
    }
  }

  /// The anchor of a name, or another one where there is none; a change makes it then. O(log n), O(n) to
  /// make one.
  public subscript(
    name: String, default anchor: @autoclosure () -> SimulatedAnchor
  ) -> SimulatedAnchor {
    get { self[name] ?? anchor() }
    set { self[name] = newValue }
  }

  func hasSameAnchors(as other: SimulatedSpace) -> Bool {
    names == other.names && all == other.all
  }

  private func place(of name: Key) -> (index: Int, isThere: Bool) {
    let index = names.firstIndex(notBelow: { $0 < name })
    return (index, index < names.count && names[index] == name)
  }
}

extension SimulatedSpace: CustomStringConvertible {
  /// The anchors with their metadata: `lamp {colour: "red"}, votes {ada: true}`.
  public var description: String {
    names.isEmpty
      ? "no anchors"
      : zip(names, all).map { "\($0.text.printable) \($1)" }.joined(separator: ", ")
  }
}

/// One anchor of a simulated space: where it is, and what is known of it.
///
/// ```swift
/// var chair = SimulatedAnchor(metadata: ["kind": "chair"])
/// chair.position.x = 1.5
/// ```
public struct SimulatedAnchor: Equatable, Sendable {
  /// 16 finite numbers in column-major order, as `HBAnchor.transform`; others cannot be saved.
  public var transform: [Float]
  /// Values by key.
  public var metadata: SimulatedMetadata

  /// An anchor at the origin of the space, unless another transform is given.
  public init(transform: [Float]? = nil, metadata: SimulatedMetadata = [:]) {
    self.transform = transform ?? Transform.identity.numbers
    self.metadata = metadata
  }

  /// The position in metres, a part of ``transform``. Precondition: that has 16 numbers.
  public var position: SIMD3<Float> {
    get { SIMD3(transform[12], transform[13], transform[14]) }
    set { for axis in 0..<3 { transform[12 + axis] = newValue[axis] } }
  }
}

extension SimulatedAnchor: CustomStringConvertible {
  /// The metadata, and the position where it is not the origin: `{kind: "chair"} at 1.5 0.0 0.0`.
  public var description: String {
    let isPlaced = transform.count == 16 && position != .zero
    return isPlaced
      ? "\(metadata) at \(position.x) \(position.y) \(position.z)" : "\(metadata)"
  }
}
