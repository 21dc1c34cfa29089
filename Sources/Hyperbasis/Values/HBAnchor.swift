import Foundation
import HyperbasisCore

/// One anchor of a space: where something is, and what is known of it.
///
/// ```swift
/// var note = HBAnchor(
///   spaceId: space.id, transform: matrix_identity_float4x4, metadata: ["text": "Buy milk"])
/// note.updateMetadata(key: "text", value: "Buy oat milk")
/// print(note.position, note.stringMetadata(forKey: "text")!)
/// // SIMD3<Float>(0.0, 0.0, 0.0) Buy oat milk
/// ```
///
/// A value remembers what was edited in it since it was loaded or saved, and saving writes only
/// that: two copies that edit different keys do not undo each other. Times that come out of a store
/// are as they were saved.
public struct HBAnchor: Identifiable, Hashable, Sendable {
  /// The anchor's id, the same on every device.
  public let id: UUID
  /// The id of the space that the anchor is in; it never changes.
  public let spaceId: UUID
  /// 16 numbers, column by column; elements 12 to 14 are the position in metres.
  public var transform: [Float] {
    didSet {
      if !transform.isIdentical(to: oldValue) { edits.transform = EditToken() }
    }
  }
  /// What is known of the anchor, by key; keys have at most 1,024 bytes, values 1 MiB
  /// as they are encoded, with their head: a text has at most 1,048,572 bytes.
  ///
  /// Setting it costs O(n) in the entries before and after.
  public var metadata: [String: AnyCodableValue] {
    didSet { edits.note(oldValue, became: metadata) }
  }
  /// When the anchor was made.
  public let createdAt: Date
  /// Set by the methods that edit, and not by assigning to a property.
  public var updatedAt: Date
  /// Nil while the anchor lives.
  public var deletedAt: Date? {
    didSet {
      if (deletedAt == nil) != (oldValue == nil) { edits.existence = EditToken() }
    }
  }
  /// What no storage has written yet.
  package internal(set) var edits: ValueEdits

  /// A new anchor, made now; `updatedAt` equals `createdAt`.
  public init(
    id: UUID = UUID(), spaceId: UUID, transform: simd_float4x4,
    metadata: [String: AnyCodableValue] = [:]
  ) {
    let now = Date()
    self.init(
      id: id, spaceId: spaceId, transform: Self.flatten(transform), metadata: metadata,
      createdAt: now, updatedAt: now)
  }

  /// An anchor of given parts; they are not checked, see ``validate()``.
  public init(
    id: UUID, spaceId: UUID, transform: [Float], metadata: [String: AnyCodableValue],
    createdAt: Date, updatedAt: Date, deletedAt: Date? = nil
  ) {
    self.init(
      id: id, spaceId: spaceId, transform: transform, metadata: metadata, createdAt: createdAt,
      updatedAt: updatedAt, deletedAt: deletedAt, edits: ValueEdits())
  }

  private init(
    id: UUID, spaceId: UUID, transform: [Float], metadata: [String: AnyCodableValue],
    createdAt: Date, updatedAt: Date, deletedAt: Date?, edits: ValueEdits
  ) {
    self.id = id
    self.spaceId = spaceId
    self.transform = transform
    self.metadata = metadata
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.deletedAt = deletedAt
    self.edits = edits
  }

  /// An anchor as a storage hands it out: nothing in it is to be written there.
  package init(_ anchor: Anchor, in space: SpaceID, from scope: EditScope) {
    self.init(
      id: UUID(anchor.id), spaceId: UUID(space),
      transform: anchor.transform.numbers,
      metadata: anchor.metadata.dictionary, createdAt: Date(nanoseconds: anchor.created),
      updatedAt: Date(nanoseconds: anchor.updated),
      deletedAt: anchor.deleted.map(Date.init(nanoseconds:)), edits: ValueEdits(handedOutBy: scope))
  }

  /// The same once more, where a storage hands it out again: it shares no edits with the first.
  func handedOutAgain(by scope: EditScope) -> HBAnchor {
    HBAnchor(
      id: id, spaceId: spaceId, transform: transform, metadata: metadata, createdAt: createdAt,
      updatedAt: updatedAt, deletedAt: deletedAt, edits: ValueEdits(handedOutBy: scope))
  }
}

extension HBAnchor: Codable {
  private enum CodingKeys: CodingKey {
    case id, spaceId, transform, metadata, createdAt, updatedAt, deletedAt
  }

  /// An anchor as it was encoded; it counts as built afresh.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try fields.decode(UUID.self, forKey: .id),
      spaceId: try fields.decode(UUID.self, forKey: .spaceId),
      transform: try fields.decode([Float].self, forKey: .transform),
      metadata: try fields.decode([String: AnyCodableValue].self, forKey: .metadata),
      createdAt: try fields.decode(Date.self, forKey: .createdAt),
      updatedAt: try fields.decode(Date.self, forKey: .updatedAt),
      deletedAt: try fields.decodeIfPresent(Date.self, forKey: .deletedAt))
  }
}

// MARK: Editing

extension HBAnchor {
  /// Moves the anchor, and sets `updatedAt`.
  public mutating func update(transform matrix: simd_float4x4) {
    transform = Self.flatten(matrix)
    updatedAt = Date()
  }

  /// Sets one metadata value, or removes the key for nil, and sets `updatedAt`.
  ///
  /// ```swift
  /// anchor.updateMetadata(key: "due", value: .null)  // the key is there, with null
  /// anchor.updateMetadata(key: "due", value: nil)    // the key is gone
  /// ```
  public mutating func updateMetadata(key: String, value: AnyCodableValue?) {
    metadata[key] = value
    updatedAt = Date()
  }

  /// Replaces all metadata, and sets `updatedAt`; keys that are not given are removed.
  public mutating func update(metadata new: [String: AnyCodableValue]) {
    metadata = new
    updatedAt = Date()
  }

  /// Marks the anchor as deleted now; one that is deleted keeps the time when it was.
  public mutating func markDeleted() {
    let now = Date()
    if deletedAt == nil { deletedAt = now }
    updatedAt = now
  }

  /// Undoes a deletion; an anchor that lives only gets a new `updatedAt`.
  public mutating func restore() {
    deletedAt = nil
    updatedAt = Date()
  }
}

/// Why an operation on an ``HBAnchor`` failed.
public enum HBAnchorError: LocalizedError, Equatable, Sendable {
  /// A transform that has not 16 numbers.
  case invalidTransform(count: Int)
  /// Not thrown by this package; for apps that refuse to delete twice.
  case alreadyDeleted
  /// Not thrown by this package; for apps that need a key.
  case metadataKeyNotFound(key: String)

  /// What is wrong, in one line for people.
  public var errorDescription: String? {
    switch self {
    case .invalidTransform(let count):
      "a transform has 16 numbers, column by column, not \(count)"
    case .alreadyDeleted: "the anchor is deleted already; restore it first"
    case .metadataKeyNotFound(let key): "the anchor has no metadata \(key.shown)"
    }
  }
}
