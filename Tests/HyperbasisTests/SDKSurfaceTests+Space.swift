import Foundation
import Hyperbasis
import Testing

/// The SDK's `HBSpace` and `HBSpaceError`.
extension SDKSurfaceTests {
  @Test func spacesWithAWorldMap() throws {
    let start = Date()
    var space = try HBSpace(name: "Kitchen", worldMap: ARWorldMap(points: 3))
    #expect(space.name == "Kitchen" && space.worldMapSize > 0)
    #expect(start <= space.createdAt)
    // Defect: the two were never equal.
    #expect(space.createdAt == space.updatedAt)
    #expect(try space.arWorldMap().points == 3)
    #expect(space.validate())

    let id = UUID()
    #expect(try HBSpace(id: id, name: nil, worldMap: ARWorldMap(points: 1)).id == id)
    #expect(try HBSpace(worldMap: ARWorldMap(points: 1)).name == nil)

    let archive: Data = try HBSpace.serialize(worldMap: ARWorldMap(points: 5))
    let map = try HBSpace.deserialize(worldMapData: archive)
    #expect(map.points == 5)

    space.updatedAt = .distantPast
    try space.update(worldMap: ARWorldMap(points: 4))
    #expect(try space.arWorldMap().points == 4 && space.updatedAt >= start)
    space.worldMapData = archive
    #expect(try space.arWorldMap().points == 5 && space.worldMapSize == archive.count)
  }

  @Test func spacesOfGivenParts() throws {
    let (created, updated) = (
      Date(timeIntervalSince1970: 1.25), Date(timeIntervalSince1970: 2.75)
    )
    var space = HBSpace(
      id: UUID(), name: "Hall", worldMapData: Data(), createdAt: created, updatedAt: updated)
    #expect(space.createdAt == created && space.updatedAt == updated)
    #expect(!space.validate())
    #expect(space.worldMapSize == 0)
    let formatter = ByteCountFormatter()
    formatter.countStyle = .file
    #expect(space.worldMapSizeFormatted == formatter.string(fromByteCount: 0))

    let copy = try JSONDecoder().decode(HBSpace.self, from: JSONEncoder().encode(space))
    #expect(copy == space)
    space.name = "Hall, upstairs"
    #expect(copy != space && space.updatedAt == updated)
    space.update(name: "Landing")
    #expect(space.name == "Landing" && space.updatedAt > updated)
    space.update(name: nil)
    #expect(space.name == nil)
    #expect(identity(of: space) == space.id)
  }

  @Test func spaceErrors() throws {
    func code(_ error: HBSpaceError) -> Int {
      switch error {
      case .serializationFailed(underlying: let error): error == nil ? 1 : -1
      case .deserializationFailed(underlying: let error): error == nil ? 2 : -2
      case .invalidWorldMapData: 3
      }
    }
    // Defect: nothing threw `invalidWorldMapData`.
    let error = #expect(throws: HBSpaceError.self) {
      let space = HBSpace(
        id: UUID(), name: nil, worldMapData: Data([1]), createdAt: Date(), updatedAt: Date())
      _ = try space.arWorldMap()
    }
    #expect(error.map(code) == 3)
    do {
      _ = try HBSpace.deserialize(worldMapData: Data())
      Issue.record("it does not throw")
    } catch let error as HBSpaceError {
      #expect(code(error) == 3)
    }
    let all: [HBSpaceError] = [
      .serializationFailed(underlying: nil),
      .deserializationFailed(underlying: CocoaError(.fileNoSuchFile)),
      .invalidWorldMapData,
    ]
    #expect(all.map(code) == [1, -2, 3])
    let texts = all.map(\.errorDescription)
    #expect(texts.allSatisfy { $0 != nil } && texts == all.map(\.localizedDescription))
  }

  private func identity<Value: Codable & Identifiable & Equatable>(of value: Value) -> Value.ID {
    value.id
  }
}
