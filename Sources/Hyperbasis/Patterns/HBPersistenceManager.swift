import Foundation
import Observation

/// What an app's screens use of a storage: one current space, its anchors, and what goes on.
///
/// ```swift
/// let persistence = HBPersistenceManager(config: .lan(deviceName: "Ada's phone"))
/// if try await persistence.loadSpace(id: home) == nil {  // an id that all devices know
///   try await persistence.storage.save(HBSpace(id: home, name: "Kitchen"))
///   try await persistence.loadSpace(id: home)
/// }
/// try await persistence.save(lamp)
/// let lamps: [Lamp] = try await persistence.loadAnchors()
/// ```
///
/// It is observable, so a SwiftUI view that reads ``isSaving`` or ``currentSpace`` follows them. Every
/// method that throws sets ``lastError`` first.
@MainActor
@Observable
public final class HBPersistenceManager {
  /// The storage beneath, for what has no method here.
  public let storage: any HBStorageProtocol
  /// The space that the methods without a space mean; nil before one was created or loaded.
  public private(set) var currentSpace: HBSpace?
  /// The error of the last call that failed; it stays until the app sets it to nil.
  public var lastError: (any Error)?
  /// Calls under way.
  private var saves = 0
  private var loads = 0

  /// On a storage of its own; nothing is opened yet.
  public convenience init(config: HBStorageConfig = .default) {
    self.init(storage: HBStorage(config: config))
  }

  /// On any storage, such as a ``MockStorage``.
  public init(storage: any HBStorageProtocol) {
    self.storage = storage
  }

  /// Whether at least one call that writes is under way.
  public var isSaving: Bool { saves > 0 }

  /// Whether at least one call that reads is under way.
  public var isLoading: Bool { loads > 0 }

  // MARK: Spaces

  /// Makes a space with a world map, an `ARWorldMap` or any object with secure coding, and saves it as
  /// the current one.
  ///
  /// - Throws: `HBSpaceError.serializationFailed`, or as ``HBStorage/save(_:)-(HBSpace)``; the current
  ///   space stays then.
  @discardableResult
  public func createSpace<Map: NSObject & NSSecureCoding>(
    name: String?, worldMap: Map
  ) async throws -> HBSpace {
    try await saving { try await create(HBSpace(name: name, worldMap: worldMap)) }
  }

  /// Makes a space without a world map, as on a wall display, and saves it as the current one.
  ///
  /// - Throws: as ``HBStorage/save(_:)-(HBSpace)``; the current space stays then.
  @discardableResult
  public func createSpace(name: String? = nil) async throws -> HBSpace {
    try await saving { try await create(HBSpace(name: name)) }
  }

  /// Replaces the world map of the current space.
  ///
  /// - Throws: ``HBPersistenceError/noActiveSpace``, `HBSpaceError.serializationFailed`, or as
  ///   ``HBStorage/save(_:)-(HBSpace)``; ``currentSpace`` has the old map then.
  public func updateSpace<Map: NSObject & NSSecureCoding>(worldMap: Map) async throws {
    try await saving {
      var space = try activeSpace()
      try space.update(worldMap: worldMap)
      try await storage.save(space)
      // Another may have become the current one meanwhile.
      if currentSpace?.id == space.id { currentSpace = space }
    }
  }

  /// Makes the space that changed last the current one; nil, and none, where there is no space.
  ///
  /// - Throws: as ``HBStorage/loadAllSpaces()``; the current space stays then.
  @discardableResult
  public func loadMostRecentSpace() async throws -> HBSpace? {
    try await loading {
      currentSpace = try await storage.loadAllSpaces().max { $0.updatedAt < $1.updatedAt }
      return currentSpace
    }
  }

  /// Makes a space the current one; nil, and the current one stays, where it is unknown or deleted.
  ///
  /// - Throws: as ``HBStorage/loadSpace(id:)``.
  @discardableResult
  public func loadSpace(id: UUID) async throws -> HBSpace? {
    try await loading {
      guard let space = try await storage.loadSpace(id: id) else { return nil }
      currentSpace = space
      return space
    }
  }

  /// Deletes a space, the current one where no id is given, with its anchors on every device.
  ///
  /// - Throws: ``HBPersistenceError/noActiveSpace`` where no id is given and no space is current, or as
  ///   ``HBStorage/deleteSpace(id:)``; the space stays then.
  public func deleteSpace(id: UUID? = nil) async throws {
    try await saving {
      let id = try id ?? activeSpace().id
      try await storage.deleteSpace(id: id)
      if currentSpace?.id == id { currentSpace = nil }
    }
  }

  private func create(_ space: HBSpace) async throws -> HBSpace {
    try await storage.save(space)
    currentSpace = space
    return space
  }

  // MARK: What goes on

  /// - Throws: ``HBPersistenceError/noActiveSpace``.
  func activeSpace() throws -> HBSpace {
    guard let currentSpace else { throw HBPersistenceError.noActiveSpace }
    return currentSpace
  }

  func saving<Output>(_ body: () async throws -> Output) async throws -> Output {
    saves += 1
    defer { saves -= 1 }
    return try await noting(body)
  }

  func loading<Output>(_ body: () async throws -> Output) async throws -> Output {
    loads += 1
    defer { loads -= 1 }
    return try await noting(body)
  }

  private func noting<Output>(_ body: () async throws -> Output) async throws -> Output {
    do { return try await body() } catch {
      lastError = error
      throw error
    }
  }
}

/// Why a call of an ``HBPersistenceManager`` failed before it came to the storage. More cases may come.
public enum HBPersistenceError: LocalizedError, Equatable, Sendable {
  /// A call that writes to the current space while there is none.
  case noActiveSpace

  /// What is missing and what to do, in one line for people.
  public var errorDescription: String? {
    switch self {
    case .noActiveSpace: "there is no space to save in; create one or load one first"
    }
  }
}
