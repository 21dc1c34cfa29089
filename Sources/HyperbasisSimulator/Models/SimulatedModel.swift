/// An app's own model, to be run on simulated peers: what its users do, what that writes, and what must
/// hold.
///
/// ```swift
/// /// Each guest has a place. Two devices may give the same chair away at the same time.
/// struct Seating: SimulatedModel {
///   struct Seat { let guest, chair: Int }
///
///   func draw(from random: inout RandomSource) -> Seat {
///     Seat(guest: random.below(9), chair: random.below(9))
///   }
///   func perform(_ seat: Seat, on space: inout SimulatedSpace) {
///     space["guest \(seat.guest)", default: .init()].metadata["chair"] = .int(seat.chair)
///   }
///   func fault(in space: SimulatedSpace) -> String? {
///     let chairs = space.anchors.compactMap { $0.value.metadata["chair"]?.intValue }
///     return Set(chairs).count < chairs.count ? "two guests sit on one chair" : nil
///   }
///   func faultAtEnd(in space: SimulatedSpace, after performed: [Seat]) -> String? { nil }
/// }
/// try Simulation.check(Seating(), seeds: 1...50)  // throws: two guests sit on one chair
/// ```
///
/// All four functions depend on their arguments and on the model's own constants alone: a seed then
/// gives the same run each time. Both rules are asked for, so that a misspelt one does not compile; one
/// that is not needed returns nil.
public protocol SimulatedModel: Sendable {
  /// What a user of the app can do. Reports print it by `String(describing:)`.
  associatedtype Operation

  /// What a user does next, somewhere; all that is chosen is drawn from the source.
  ///
  /// ```swift
  /// func draw(from random: inout RandomSource) -> Vote {
  ///   Vote(voter: random.below(20), isFor: random.chance(Ratio(1, in: 2)))
  /// }
  /// ```
  ///
  /// Each operation has a source of its own, so that those that a smaller run keeps stay as they are.
  func draw(from random: inout RandomSource) -> Operation

  /// Does an operation on one device: reads what this device shows, and writes.
  ///
  /// ```swift
  /// func perform(_ vote: Vote, on space: inout SimulatedSpace) {
  ///   space["votes", default: .init()].metadata["voter \(vote.voter)"] = .bool(vote.isFor)
  /// }
  /// ```
  ///
  /// Only what differs afterwards is written, as `HBStorage.save` does, and in one transaction. An
  /// operation that changes nothing was refused, and so was one that throws: it writes nothing.
  ///
  /// - Throws: Whatever the model refuses an operation with.
  func perform(_ operation: Operation, on space: inout SimulatedSpace) throws

  /// What is wrong with what one device shows, at whatever moment; nil when all is well.
  ///
  /// ```swift
  /// func fault(in space: SimulatedSpace) -> String? {
  ///   (space["stock"]?.metadata["left"]?.intValue ?? 0) < 0 ? "more was sold than there was" : nil
  /// }
  /// ```
  ///
  /// It is asked of what a device shows when it starts, and after every change, its own or another's,
  /// while messages are under way as well.
  func fault(in space: SimulatedSpace) -> String?

  /// What is wrong with what every device shows in the end, when the network is whole and all have
  /// received everything; nil when all is well.
  ///
  /// ```swift
  /// func faultAtEnd(in space: SimulatedSpace, after performed: [Vote]) -> String? {
  ///   let voters = Set(performed.map(\.voter))
  ///   let counted = space["votes"]?.metadata.count ?? 0
  ///   return counted == voters.count ? nil : "\(counted) of \(voters.count) votes are counted"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - space: What a device shows; it is asked of each, and all show the same.
  ///   - performed: The operations that were acknowledged, on all devices: those whose writes were on a
  ///     disk. What was refused, what a crash or a full disk swallowed, and what went with a disk before
  ///     anybody else had it, is not among them. They are in the order in which they were acknowledged,
  ///     which no device need have seen.
  func faultAtEnd(in space: SimulatedSpace, after performed: [Operation]) -> String?
}
