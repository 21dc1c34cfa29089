import Foundation
import HyperbasisCore

extension LocalPeer {
  // MARK: Spaces

  /// Makes a space and gives it a name.
  ///
  /// - Throws: `PeerError.invalid` for an empty name or one of more than 1,024 bytes.
  @discardableResult
  package func createSpace(
    named name: String, id: UUID = UUID()
  ) async throws(PeerError) -> UUID {
    try await call { loop throws(PeerError) in
      try loop.createSpace(SpaceID(id), name: name)
      return id
    }
  }

  /// Holds a space that peers have; it fills in from them. Idempotent.
  package func joinSpace(_ id: UUID) async throws(PeerError) {
    try await call { loop throws(PeerError) in try loop.join(SpaceID(id)) }
  }

  /// The ids of the spaces held here, ascending.
  package func spaces() async throws(PeerError) -> [UUID] {
    try await call(whenRefused: .isAskedAgain) { loop throws(PeerError) in
      loop.engine.rooms.keys.map { UUID($0) }
    }
  }

  /// The name of a space; nil before it was received.
  ///
  /// - Throws: `PeerError.unknownSpace`.
  package func name(of space: UUID) async throws(PeerError) -> String? {
    try await call(whenRefused: .isAskedAgain) { loop throws(PeerError) in
      try loop.state(of: SpaceID(space)).name
    }
  }

  /// The ids of spaces that connected peers hold and that are not held here, ascending: what
  /// ``joinSpace(_:)`` can join.
  package func offeredSpaces() async throws(PeerError) -> [UUID] {
    try await call(whenRefused: .isAskedAgain) { loop throws(PeerError) in
      loop.offeredSpaces.map { UUID($0) }
    }
  }

  // MARK: Anchors

  /// Creates an anchor or writes to the one with this id; what is not given keeps its value.
  ///
  /// - Parameter transform: 16 numbers, column by column, positions in metres.
  /// - Throws: `PeerError.unknownSpace`, `anchorIsDeleted`, or `invalid` for what cannot be saved.
  @discardableResult
  package func put(
    _ id: UUID = UUID(), in space: UUID, transform: [Float]? = nil,
    metadata: [String: AnyCodableValue] = [:]
  ) async throws(PeerError) -> UUID {
    try await call { loop throws(PeerError) in
      var edit = AnchorEdit()
      if let transform {
        do throws(TransformError) {
          edit.transform = try Transform(transform)
        } catch {
          throw PeerError(error)
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
  ) async throws(PeerError) {
    try await call { loop throws(PeerError) in
      var edit = AnchorEdit()
      edit.metadata = keys.map { (Key($0), nil) }
      try loop.change(AnchorID(anchor), in: SpaceID(space), edit)
    }
  }

  /// Deletes an anchor; one that is deleted already stays as it is.
  package func deleteAnchor(_ anchor: UUID, in space: UUID) async throws(PeerError) {
    try await call { loop throws(PeerError) in
      try loop.delete(AnchorID(anchor), in: SpaceID(space))
    }
  }

  /// Brings a deleted anchor back as it was.
  package func restoreAnchor(_ anchor: UUID, in space: UUID) async throws(PeerError) {
    try await call { loop throws(PeerError) in
      try loop.restore(AnchorID(anchor), in: SpaceID(space))
    }
  }

  /// The anchors of a space, ascending by id. O(n log n).
  ///
  /// - Throws: `PeerError.unknownSpace`.
  package func anchors(
    in space: UUID, includingDeleted: Bool = false
  ) async throws(PeerError) -> [HBAnchor] {
    try await call(whenRefused: .isAskedAgain) { loop throws(PeerError) in
      try loop.state(of: SpaceID(space)).anchors(includingDeleted: includingDeleted)
        .map { HBAnchor($0, in: SpaceID(space), from: loop.scope) }
    }
  }

  /// One anchor, deleted or not; nil when the space has none with this id. O(keys).
  ///
  /// - Throws: `PeerError.unknownSpace`.
  package func anchor(_ id: UUID, in space: UUID) async throws(PeerError) -> HBAnchor? {
    try await call(whenRefused: .isAskedAgain) { loop throws(PeerError) in
      try loop.state(of: SpaceID(space)).anchor(AnchorID(id))
        .map { HBAnchor($0, in: SpaceID(space), from: loop.scope) }
    }
  }

  /// A hash of a space: equal on two devices when they show the same and would merge the same.
  package func digest(of space: UUID) async throws(PeerError) -> String {
    try await call(whenRefused: .isAskedAgain) { loop throws(PeerError) in
      try loop.state(of: SpaceID(space)).digest.description
    }
  }
}
