import Foundation
import Hyperbasis

/// A note on the wall: what the app works with, and how it becomes an anchor and back.
struct StickyNote: Anchorable, Equatable {
  enum Color: String, CaseIterable {
    case yellow, pink, blue, green
  }

  let id: UUID
  var text: String
  var color: Color
  var simdTransform: simd_float4x4
  let createdAt: Date

  init(text: String, color: Color, at simdTransform: simd_float4x4) {
    id = UUID()
    self.text = text
    self.color = color
    self.simdTransform = simdTransform
    createdAt = Date()
  }

  init?(from anchor: HBAnchor) {
    guard anchor.stringMetadata(forKey: "type") == "sticky_note",
      let text = anchor.stringMetadata(forKey: "text"),
      let transform = anchor.validSimdTransform
    else { return nil }
    id = anchor.id
    self.text = text
    color = anchor.stringMetadata(forKey: "color").flatMap(Color.init) ?? .yellow
    simdTransform = transform
    createdAt = anchor.createdAt
  }

  func toMetadata() -> [String: AnyCodableValue] {
    ["type": "sticky_note", "text": .string(text), "color": .string(color.rawValue)]
  }
}
