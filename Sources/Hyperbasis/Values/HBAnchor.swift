import Foundation
import HyperbasisCore

/// One anchor of a space: where something is, and what is known of it.
///
/// ```swift
/// let anchors = try await peer.anchors(in: space)
/// print(anchors[0].position)  // SIMD3<Float>(1.0, 0.5, -2.0)
/// ```
///
/// Times are exact to the millisecond.
public struct HBAnchor: Identifiable, Equatable, Sendable {
  public let id: UUID
  public let spaceId: UUID
  /// 16 numbers, column by column; elements 12 to 14 are the position in metres.
  public var transform: [Float]
  public var metadata: [String: AnyCodableValue]
  public let createdAt: Date
  public var updatedAt: Date
  /// Nil while the anchor lives.
  public var deletedAt: Date?

  public init(
    id: UUID, spaceId: UUID, transform: [Float], metadata: [String: AnyCodableValue],
    createdAt: Date, updatedAt: Date, deletedAt: Date? = nil
  ) {
    self.id = id
    self.spaceId = spaceId
    self.transform = transform
    self.metadata = metadata
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.deletedAt = deletedAt
  }

  /// Metres; zero where the transform has too few numbers.
  public var position: SIMD3<Float> {
    transform.count > 14 ? SIMD3(transform[12], transform[13], transform[14]) : .zero
  }

  public var isDeleted: Bool { deletedAt != nil }
}

extension HBAnchor {
  init(_ anchor: Anchor, in space: SpaceID) {
    self.init(
      id: UUID(anchor.id), spaceId: UUID(space),
      transform: (0..<16).map { anchor.transform.elements[$0] },
      metadata: anchor.metadata.dictionary, createdAt: Date(nanoseconds: anchor.created),
      updatedAt: Date(nanoseconds: anchor.updated),
      deletedAt: anchor.deleted.map(Date.init(nanoseconds:)))
  }
}

extension Date {
  init(nanoseconds: Int64) {
    self.init(timeIntervalSince1970: Double(nanoseconds) / 1_000_000_000)
  }
}

extension UUID {
  package init<Kind>(_ identifier: Identifier<Kind>) {
    let bytes = withUnsafeBytes(of: identifier.bits.bigEndian, Array.init)
    self.init(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
        bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
}

extension Identifier {
  package init(_ uuid: UUID) {
    self.init(
      withUnsafeBytes(of: uuid.uuid) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) })
  }
}
