import Foundation

/// A model of an app that is kept as an anchor.
///
/// ```swift
/// struct Lamp: Anchorable {
///   let id: UUID
///   var simdTransform: simd_float4x4
///   var watts: Int
///
///   func toMetadata() -> [String: AnyCodableValue] { ["kind": "lamp", "watts": .int(watts)] }
///
///   init?(from anchor: HBAnchor) {
///     guard anchor.stringMetadata(forKey: "kind") == "lamp",
///       let transform = anchor.validSimdTransform
///     else { return nil }
///     (id, simdTransform) = (anchor.id, transform)
///     watts = anchor.intMetadata(forKey: "watts") ?? 0
///   }
/// }
///
/// try await storage.save(lamp, in: space.id)
/// let lamps: [Lamp] = try await storage.loadAnchors(spaceId: space.id)
/// ```
///
/// Saving one leaves alone what the model does not know of: keys that a later version of the app or
/// another app wrote.
public protocol Anchorable: Identifiable where ID == UUID {
  /// Where it is; positions in metres.
  var simdTransform: simd_float4x4 { get }

  /// All that is kept besides the place; the same for equal models.
  func toMetadata() -> [String: AnyCodableValue]

  /// Nil for an anchor of another kind.
  init?(from anchor: HBAnchor)
}

extension HBAnchor {
  /// What saving `item` comes to: the base with those fields edited in which the model differs from
  /// what it is when it is made of the base; without a base, a new anchor.
  ///
  /// O(keys).
  static func edited<Item: Anchorable>(
    _ base: HBAnchor?, to item: Item, in spaceId: UUID, scope: EditScope
  ) -> HBAnchor {
    let metadata = item.toMetadata()
    guard var anchor = base else {
      return HBAnchor(
        id: item.id, spaceId: spaceId, transform: item.simdTransform, metadata: metadata)
    }
    let old = Item(from: anchor)
    let transform = flatten(item.simdTransform)
    if !transform.isIdentical(to: old.map { flatten($0.simdTransform) } ?? anchor.transform) {
      anchor.transform = transform
    }
    anchor.metadata = anchor.metadata.edited(from: old?.toMetadata(), to: metadata)
    if anchor.isDeleted { anchor.deletedAt = nil }
    if anchor.edits.hasUnsaved(in: scope) { anchor.updatedAt = Date() }
    return anchor
  }
}

extension [String: AnyCodableValue] {
  /// These entries with the edits between two lists of a model; without an old list, the model
  /// removes nothing.
  fileprivate func edited(from old: Self?, to new: Self) -> Self {
    var edited = self
    for (key, value) in new {
      if let same = (old ?? self).exactValue(for: key), same.isIdentical(to: value) { continue }
      edited[key] = value
    }
    for key in old?.keys ?? [:].keys where new.exactValue(for: key) == nil {
      edited[key] = nil
    }
    return edited
  }
}
