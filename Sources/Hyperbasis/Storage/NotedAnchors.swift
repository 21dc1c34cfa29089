import Foundation
import HyperbasisCore

/// The list of a space's anchors that was handed out last, and nothing made of it yet: what was loaded
/// costs little until one of it is looked at.
struct NotedAnchors: Sendable {
  private(set) var shown: ShownAnchors
  /// When the first of these lists was handed out.
  private let first: EditMoment
  /// When others were: those of which all that earlier lists said is known elsewhere.
  private var later: [UUID: EditMoment] = [:]
  /// Where each is; made when one is looked up.
  private var places: [UUID: Int]?

  init(_ shown: ShownAnchors, known: EditMoment) {
    self.shown = shown
    first = known
  }

  /// What the list says of an anchor. O(n) the first time, then O(1).
  mutating func base(of anchor: UUID) -> SaveBase? {
    if let place = places?[anchor], !shown.has(anchor, at: place) { places = nil }
    let known = places ?? placesOfAll()
    places = known
    return known[anchor].map { base(at: $0) }
  }

  private func placesOfAll() -> [UUID: Int] {
    var places = [UUID: Int](minimumCapacity: shown.anchors.count)
    for index in shown.anchors.indices { places[shown.anchors[index].id] = index }
    return places
  }

  /// What the list says of all.
  var bases: [SaveBase] { shown.anchors.indices.map { base(at: $0) } }

  private func base(at index: Int) -> SaveBase {
    let value = shown.anchors[index]
    let known = later.isEmpty ? first : later[value.id] ?? first
    return SaveBase(value, known: KnownKeys(since: known), noted: shown.point.moment)
  }

  /// Whether a list is of the same states and later, and tells all that changed since this one.
  func isFollowed(by new: ShownAnchors) -> Bool {
    guard new.point.covers(shown.point) else { return false }
    let isMadeOfThis = new.last.map { !shown.point.isEarlier(than: $0) } ?? false
    return isMadeOfThis || hasAnchors(of: new)
  }

  /// Whether another list is of the same writes; lists of two stores may seem to be.
  private func hasAnchors(of new: ShownAnchors) -> Bool {
    new.point.vector == shown.point.vector && new.anchors.count == shown.anchors.count
  }

  /// Takes a newer list in that follows. O(1) where nothing changed, else O(n).
  ///
  /// - Parameter settled: anchors of which all that this list says is known elsewhere. What the new one
  ///   says of them is known since it was handed out.
  mutating func follow(_ new: ShownAnchors, settled: Set<UUID>, known: EditMoment) {
    for anchor in settled { later[anchor] = known }
    if !new.changed.isEmpty, !new.hasPlaces(of: shown) { places = nil }
    shown = new
  }
}
