import Foundation
import HyperbasisCore

/// What a storage last handed out or wrote of an anchor, and when it came to know its keys: what saves
/// of values built afresh are compared with.
struct SaveBase: Sendable {
  private(set) var value: HBAnchor
  private(set) var known: KnownKeys
  /// The turn in which the value was read or written: what is older is no news.
  private(set) var noted: EditMoment

  init(_ value: HBAnchor, known: KnownKeys, noted: EditMoment) {
    self.value = value
    self.known = known
    self.noted = noted
  }

  /// The keys that a value made then could know.
  func keys(knownBefore made: EditMoment) -> [Key] {
    value.metadata.keys.map { Key($0) }.filter { known.moment(of: $0) < made }
  }

  /// The anchor was handed out or written anew. O(keys).
  mutating func note(_ new: HBAnchor, at moment: EditMoment) {
    note(SaveBase(new, known: KnownKeys(since: moment), noted: moment))
  }

  /// As ``note(_:at:)``, where some keys are known since later than the others. What was read in an
  /// earlier turn than what is known changes nothing: calls end in another order than their turns.
  mutating func note(_ newer: SaveBase) {
    guard newer.noted > noted else { return }
    let (new, newKeys) = (newer.value, newer.known)
    noted = newer.noted
    var later: [Key: EditMoment] = [:]
    for key in new.metadata.keys {
      let moment = newKeys.moment(of: key, after: known, whichHad: value.metadata)
      if moment != known.first { later[Key(key)] = moment }
    }
    known.later = later
    value = new
  }

  /// This after what was known before, if anything was. O(keys).
  func noted(over known: SaveBase?) -> SaveBase {
    guard var known else { return self }
    known.note(self)
    return known
  }

  /// As ``note(_:at:)``, also of an anchor that was not known.
  static func noting(_ new: HBAnchor, over base: SaveBase?, at moment: EditMoment) -> SaveBase {
    SaveBase(new, known: KnownKeys(since: moment), noted: moment).noted(over: base)
  }

  /// A value was saved: what it wrote is known from now on, and nothing else of it, since the rest may
  /// be older than what was handed out meanwhile.
  static func after(
    saving value: HBAnchor, wrote written: WrittenFields, over base: SaveBase?
  ) -> SaveBase {
    var merged = base?.value ?? value
    if written.isWhole {
      merged = value
      let removed = Set(written.removedKeys(of: value, over: base))
      let kept = (base?.value.metadata ?? [:]).filter { !removed.contains(Key($0.key)) }
      merged.metadata.merge(kept) { new, _ in new }
    } else if base == nil {
      // It was handed out as deleted: who deleted it is not known here.
      if !written.existence { merged.deletedAt = nil }
    } else {
      if written.transform { merged.transform = value.transform }
      if written.existence { merged.deletedAt = value.deletedAt }
      var metadata = merged.metadata
      for key in written.keys { metadata[key.text] = value.metadata.exactValue(for: key.text) }
      merged.metadata = metadata
    }
    merged.edits = ValueEdits(initial: EditToken(writtenIn: written.scope.ofStorage))
    return noting(merged, over: base, at: .next())
  }
}

/// When a storage came to know the keys of an anchor.
struct KnownKeys: Sendable {
  /// When it came to know the anchor, and most keys with it.
  let first: EditMoment
  /// Keys that came later.
  fileprivate(set) var later: [Key: EditMoment] = [:]

  init(since first: EditMoment) {
    self.first = first
  }

  func moment(of key: Key) -> EditMoment { later[key] ?? first }

  /// When a key came that is there now: one that was there before came then, unless it went between.
  fileprivate func moment(
    of key: String, after old: KnownKeys, whichHad metadata: [String: AnyCodableValue]
  ) -> EditMoment {
    if let moment = later.isEmpty ? nil : later[Key(key)] { return moment }
    guard metadata.hasExactKey(key) else { return first }
    return old.later.isEmpty ? old.first : old.moment(of: Key(key))
  }
}
