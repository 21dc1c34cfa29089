import Foundation
import Hyperbasis

/// What the tests pin up: a model of an app.
struct PinnedNote: Anchorable, Equatable {
  enum Paper: String {
    case white, mint, rose
  }

  let id: UUID
  var words: String
  var paper: Paper
  /// Emitted only where there is one.
  var due: Int?
  var simdTransform: simd_float4x4

  init(
    _ words: String, paper: Paper = .white, due: Int? = nil, at place: simd_float4x4 = at(0),
    id: UUID = UUID()
  ) {
    (self.id, self.words, self.paper, self.due) = (id, words, paper, due)
    simdTransform = place
  }

  func toMetadata() -> [String: AnyCodableValue] {
    var metadata: [String: AnyCodableValue] = [
      "kind": "pinned note", "words": .string(words), "paper": .string(paper.rawValue),
    ]
    metadata["due"] = due.map { .int($0) }
    return metadata
  }

  init?(from anchor: HBAnchor) {
    guard anchor.stringMetadata(forKey: "kind") == "pinned note",
      let words = anchor.stringMetadata(forKey: "words"), let place = anchor.validSimdTransform
    else { return nil }
    let paper = anchor.stringMetadata(forKey: "paper").flatMap(Paper.init)
    self.init(
      words, paper: paper ?? .white, due: anchor.intMetadata(forKey: "due"), at: place,
      id: anchor.id)
  }
}

/// A model that is a class of the main actor, as in many apps.
@MainActor
final class PinnedLamp: @MainActor Anchorable {
  nonisolated let id: UUID
  var watts: Int
  var simdTransform: simd_float4x4

  init(watts: Int) {
    (id, self.watts, simdTransform) = (UUID(), watts, at(0))
  }

  func toMetadata() -> [String: AnyCodableValue] { ["kind": "lamp", "watts": .int(watts)] }

  init?(from anchor: HBAnchor) {
    guard let watts = anchor.intMetadata(forKey: "watts"), let place = anchor.validSimdTransform
    else { return nil }
    (id, self.watts, simdTransform) = (anchor.id, watts, place)
  }
}
