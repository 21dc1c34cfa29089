import Foundation
import HyperbasisCore

extension HBPeer {
  // MARK: Spaces

  /// Makes a space and gives it a name.
  ///
  /// - Throws: `HBPeerError.invalid` for an empty name or one of more than 1,024 bytes.
  @discardableResult
  package func createSpace(
    named name: String, id: UUID = UUID()
  ) async throws(HBPeerError) -> UUID {
    try await call { loop throws(HBPeerError) in
      try loop.createSpace(SpaceID(id), name: name)
      return id
    }
  }

  /// Holds a space that peers have; it fills in from them. Idempotent.
  package func joinSpace(_ id: UUID) async throws(HBPeerError) {
    try await call { loop throws(HBPeerError) in try loop.join(SpaceID(id)) }
  }

  /// The ids of the spaces held here, ascending.
  package func spaces() async throws(HBPeerError) -> [UUID] {
    try await call { loop throws(HBPeerError) in loop.engine.rooms.keys.map { UUID($0) } }
  }

  /// The name of a space; nil before it was received.
  ///
  /// - Throws: `HBPeerError.unknownSpace`.
  package func name(of space: UUID) async throws(HBPeerError) -> String? {
    try await call { loop throws(HBPeerError) in try loop.state(of: SpaceID(space)).name }
  }

  /// The ids of spaces that connected peers hold and that are not held here, ascending: what
  /// ``joinSpace(_:)`` can join.
  package func offeredSpaces() async throws(HBPeerError) -> [UUID] {
    try await call { loop throws(HBPeerError) in loop.engine.offeredSpaces.map { UUID($0) } }
  }

  // MARK: Anchors

  /// Creates an anchor or writes to the one with this id; what is not given keeps its value.
  ///
  /// - Parameter transform: 16 numbers, column by column, positions in metres.
  /// - Throws: `HBPeerError.unknownSpace`, `anchorIsDeleted`, or `invalid` for what cannot be saved.
  @discardableResult
  package func put(
    _ id: UUID = UUID(), in space: UUID, transform: [Float]? = nil,
    metadata: [String: AnyCodableValue] = [:]
  ) async throws(HBPeerError) -> UUID {
    try await call { loop throws(HBPeerError) in
      var edit = AnchorEdit()
      if let transform {
        do throws(TransformError) {
          edit.transform = try Transform(transform)
        } catch {
          throw HBPeerError(error)
        }
      }
      for (key, value) in metadata.sorted(by: { Key($0.key) < Key($1.key) }) {
        edit.metadata.append((Key(key), value.value))
      }
      try loop.put(AnchorID(id), in: SpaceID(space), edit)
      return id
    }
  }

  /// Removes metadata keys of an anchor.
  package func removeMetadata(
    _ keys: [String], of anchor: UUID, in space: UUID
  ) async throws(HBPeerError) {
    try await call { loop throws(HBPeerError) in
      var edit = AnchorEdit()
      edit.metadata = keys.map { (Key($0), nil) }
      try loop.change(AnchorID(anchor), in: SpaceID(space), edit)
    }
  }

  /// Deletes an anchor; one that is deleted already stays as it is.
  package func deleteAnchor(_ anchor: UUID, in space: UUID) async throws(HBPeerError) {
    try await call { loop throws(HBPeerError) in
      try loop.delete(AnchorID(anchor), in: SpaceID(space))
    }
  }

  /// Brings a deleted anchor back as it was.
  package func restoreAnchor(_ anchor: UUID, in space: UUID) async throws(HBPeerError) {
    try await call { loop throws(HBPeerError) in
      try loop.restore(AnchorID(anchor), in: SpaceID(space))
    }
  }

  /// The anchors of a space, ascending by id. O(n log n).
  ///
  /// - Throws: `HBPeerError.unknownSpace`.
  package func anchors(
    in space: UUID, includingDeleted: Bool = false
  ) async throws(HBPeerError) -> [HBAnchor] {
    try await call { loop throws(HBPeerError) in
      try loop.state(of: SpaceID(space)).anchors(includingDeleted: includingDeleted)
        .map { HBAnchor($0, in: SpaceID(space), from: loop.scope) }
    }
  }

  /// One anchor, deleted or not; nil when the space has none with this id. O(keys).
  ///
  /// - Throws: `HBPeerError.unknownSpace`.
  package func anchor(_ id: UUID, in space: UUID) async throws(HBPeerError) -> HBAnchor? {
    try await call { loop throws(HBPeerError) in
      try loop.state(of: SpaceID(space)).anchor(AnchorID(id))
        .map { HBAnchor($0, in: SpaceID(space), from: loop.scope) }
    }
  }

  /// A hash of a space: equal on two devices when they show the same and would merge the same.
  package func digest(of space: UUID) async throws(HBPeerError) -> String {
    try await call { loop throws(HBPeerError) in
      try loop.state(of: SpaceID(space)).digest.description
    }
  }
}
