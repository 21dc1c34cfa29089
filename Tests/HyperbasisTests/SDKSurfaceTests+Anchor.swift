import Foundation
import Hyperbasis
import Testing

/// The SDK's `HBAnchor` and `HBAnchorError`.
extension SDKSurfaceTests {
  @Test func anchors() throws {
    let (id, spaceId) = (UUID(), UUID())
    let plain = HBAnchor(spaceId: spaceId, transform: place(1))
    #expect(plain.id != id && plain.spaceId == spaceId && plain.metadata == [:])
    #expect(plain.createdAt == plain.updatedAt && plain.deletedAt == nil)
    let made = HBAnchor(id: id, spaceId: spaceId, transform: place(1, 2, 3), metadata: ["a": 1])
    #expect(made.id == id && made.position == SIMD3<Float>(1, 2, 3))

    let numbers: [Float] = HBAnchor.flatten(place(1, 2, 3))
    #expect(numbers == [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1])
    let matrix: simd_float4x4 = try HBAnchor.unflatten(numbers)
    #expect(matrix == place(1, 2, 3))
    #expect(try made.simdTransform() == matrix)
    #expect(made.validSimdTransform == matrix)

    let date = Date(timeIntervalSince1970: 1.5)
    let given = HBAnchor(
      id: id, spaceId: spaceId, transform: numbers, metadata: [:], createdAt: date, updatedAt: date)
    #expect(given.deletedAt == nil && !given.isDeleted && given.validate())
    let deleted = HBAnchor(
      id: id, spaceId: spaceId, transform: numbers, metadata: [:], createdAt: date,
      updatedAt: date, deletedAt: date)
    #expect(deleted.isDeleted && deleted != given)
    let copy = try JSONDecoder().decode(HBAnchor.self, from: JSONEncoder().encode(deleted))
    #expect(copy == deleted)
    func identity<Value: Codable & Identifiable & Equatable>(of value: Value) -> Value.ID {
      value.id
    }
    #expect(identity(of: copy) == id)
  }

  /// Defects: `position` of a short transform ended the process; NaN was valid.
  @Test func anchorsThatAreNotValid() {
    var anchor = HBAnchor(spaceId: UUID(), transform: place(1))
    anchor.transform = []
    #expect(anchor.position == .zero && anchor.validSimdTransform == nil && !anchor.validate())
    anchor.update(transform: place(.nan))
    #expect(!anchor.validate())
    anchor.update(transform: place(1))
    anchor.updateMetadata(key: "width", value: .double(.infinity))
    #expect(!anchor.validate())
  }

  @Test func anchorsAreEdited() throws {
    var anchor = HBAnchor(spaceId: UUID(), transform: place(1))
    #expect(!anchor.hasMetadata)
    anchor.updatedAt = .distantPast
    anchor.update(transform: place(4))
    #expect(anchor.position.x == 4 && anchor.updatedAt > .distantPast)
    anchor.updatedAt = .distantPast
    anchor.updateMetadata(key: "text", value: "Buy milk")
    anchor.updateMetadata(key: "count", value: 3)
    anchor.updateMetadata(key: "done", value: false)
    #expect(anchor.hasMetadata && anchor.updatedAt > .distantPast)
    #expect(anchor.metadata(forKey: "text") == .string("Buy milk"))
    #expect(anchor.stringMetadata(forKey: "text") == "Buy milk")
    #expect(anchor.intMetadata(forKey: "count") == 3)
    #expect(anchor.boolMetadata(forKey: "done") == false)
    #expect(anchor.stringMetadata(forKey: "count") == nil && anchor.metadata(forKey: "no") == nil)
    anchor.updateMetadata(key: "text", value: nil)
    #expect(anchor.metadata.keys.sorted() == ["count", "done"])
    anchor.update(metadata: ["color": "blue"])
    #expect(anchor.metadata == ["color": "blue"])
    anchor.metadata["color"] = "pink"
    #expect(anchor.stringMetadata(forKey: "color") == "pink")

    anchor.markDeleted()
    let deletedAt = try #require(anchor.deletedAt)
    #expect(anchor.isDeleted)
    // Defect: deleting twice moved the date.
    anchor.markDeleted()
    #expect(anchor.deletedAt == deletedAt)
    anchor.restore()
    #expect(!anchor.isDeleted && anchor.deletedAt == nil)
    anchor.deletedAt = deletedAt
    #expect(anchor.isDeleted)
  }

  @Test func anchorErrors() throws {
    func code(_ error: HBAnchorError) -> Int {
      switch error {
      case .invalidTransform(let count): count
      case .alreadyDeleted: -1
      case .metadataKeyNotFound(let key): -key.count
      }
    }
    do {
      _ = try HBAnchor.unflatten([1, 2])
      Issue.record("it does not throw")
    } catch let error as HBAnchorError {
      #expect(code(error) == 2)
    }
    var anchor = HBAnchor(spaceId: UUID(), transform: place(1))
    anchor.transform = [1, 2, 3]
    let error = #expect(throws: HBAnchorError.self) { try anchor.simdTransform() }
    #expect(error.map(code) == 3)
    let all: [HBAnchorError] = [
      .invalidTransform(count: 3), .alreadyDeleted, .metadataKeyNotFound(key: "text"),
    ]
    #expect(all.map(code) == [3, -1, -4])
    #expect(all.allSatisfy { $0.errorDescription == $0.localizedDescription })
  }
}

/// The SDK's `AnyCodableValue`.
extension SDKSurfaceTests {
  @Test func metadataValues() throws {
    let literals: [AnyCodableValue] = ["a", 1, 1.5, true, ["a", 1], ["k": nil], nil]
    let named: [AnyCodableValue] = [
      .string("a"), .int(1), .double(1.5), .bool(true), .array([.string("a"), .int(1)]),
      .dictionary(["k": .null]), .null,
    ]
    let initialised = [
      AnyCodableValue(stringLiteral: "a"), AnyCodableValue(integerLiteral: 1),
      AnyCodableValue(floatLiteral: 1.5), AnyCodableValue(booleanLiteral: true),
      AnyCodableValue(arrayLiteral: "a", 1), AnyCodableValue(dictionaryLiteral: ("k", nil)),
      AnyCodableValue(nilLiteral: ()),
    ]
    #expect(literals == named && initialised == named)
    #expect(named.map(\.stringValue) == ["a", nil, nil, nil, nil, nil, nil])
    #expect(named.map(\.intValue) == [nil, 1, nil, nil, nil, nil, nil])
    #expect(named.map(\.doubleValue) == [nil, nil, 1.5, nil, nil, nil, nil])
    #expect(named.map(\.boolValue) == [nil, nil, nil, true, nil, nil, nil])
    #expect(named.map { $0.arrayValue?.count } == [nil, nil, nil, nil, 2, nil, nil])
    #expect(named.map { $0.dictionaryValue?.count } == [nil, nil, nil, nil, nil, 1, nil])
    #expect(named.map(\.isNull) == [false, false, false, false, false, false, true])
    let kinds = named.map { value in
      switch value {
      case .string(let text): text
      case .int(let number): "\(number)"
      case .double(let number): "\(number)"
      case .bool(let flag): "\(flag)"
      case .array(let values): "\(values.count) values"
      case .dictionary(let entries): "\(entries.count) entries"
      case .null: "null"
      }
    }
    #expect(kinds == ["a", "1", "1.5", "true", "2 values", "1 entries", "null"])
    // Defect: a repeated key ended the process.
    #expect(["k": 1, "k": 2] as AnyCodableValue == ["k": 2])
    let data = try JSONEncoder().encode(named)
    #expect(try JSONDecoder().decode([AnyCodableValue].self, from: data) == named)
  }

  /// Defects: a whole double became an integer on disk, and each save after that wrote an event.
  @Test func wholeDoublesStay() async throws {
    let storage = makeStorage()
    let anchor = HBAnchor(spaceId: UUID(), transform: place(1), metadata: ["size": 20.0])
    for _ in 0..<3 { try await storage.save(anchor) }
    #expect(try await storage.loadAnchor(id: anchor.id)?.metadata["size"]?.doubleValue == 20)
    #expect(try await storage.history(anchorId: anchor.id).map(\.type) == [.created])
    let value = AnyCodableValue.double(20)
    #expect(
      try JSONDecoder().decode(AnyCodableValue.self, from: JSONEncoder().encode(value)) == value)
  }
}
