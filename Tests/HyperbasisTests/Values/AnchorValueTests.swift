import Foundation
import HyperbasisCore
import Testing

@testable import Hyperbasis

struct AnchorValueTests {
  private let matrix = simd_float4x4(
    SIMD4(1, 2, 3, 4), SIMD4(5, 6, 7, 8), SIMD4(9, 10, 11, 12), SIMD4(13, 14, 15, 16))

  @Test func aTransformIsKeptColumnByColumn() throws {
    let anchor = HBAnchor(spaceId: UUID(), transform: matrix)
    #expect(anchor.transform == (1...16).map(Float.init))
    #expect(anchor.position == SIMD3(13, 14, 15))
    #expect(try anchor.simdTransform() == matrix)
    #expect(anchor.validSimdTransform == matrix)
    #expect(try HBAnchor.unflatten(HBAnchor.flatten(matrix)) == matrix)
  }

  @Test(arguments: [0, 3, 15, 17])
  func aTransformOfAnotherCountIsRefused(_ count: Int) {
    let anchor = anchor(transform: Array(repeating: 1, count: count))
    #expect(throws: HBAnchorError.invalidTransform(count: count)) { try anchor.simdTransform() }
    #expect(throws: HBAnchorError.invalidTransform(count: count)) {
      try HBAnchor.unflatten(anchor.transform)
    }
    #expect(anchor.validSimdTransform == nil)
    #expect(!anchor.validate())
  }

  /// Defect: `position` trapped when the transform had fewer than 15 numbers.
  @Test(arguments: 0...14)
  func thePositionOfAShortTransformDoesNotTrap(_ count: Int) {
    #expect(anchor(transform: Array(repeating: 1, count: count)).position == .zero)
  }

  /// Defect: `validate()` was only a count, and saving then threw a raw `EncodingError`.
  @Test(arguments: [Float.nan, .infinity, -.infinity])
  func validatingSeesNumbersThatAreNotFinite(_ number: Float) {
    for index in 0..<16 {
      var moved = anchor(transform: Array(repeating: 0, count: 16))
      #expect(moved.validate())
      moved.transform[index] = number
      #expect(!moved.validate())
      #expect(moved.validSimdTransform == nil)
    }
    let double = AnyCodableValue.double(Double(number))
    for value in [double, [1, double], ["a": [["b": double]]]] as [AnyCodableValue] {
      let noted = HBAnchor(spaceId: UUID(), transform: matrix, metadata: ["ok": 1, "k": value])
      #expect(!noted.validate())
    }
  }

  /// Defect: two clock readings made `updatedAt` a hair later than `createdAt`.
  @Test func aNewAnchorIsUpdatedWhenItIsCreated() {
    let before = Date()
    let anchors = (0..<100).map { _ in HBAnchor(spaceId: UUID(), transform: matrix) }
    #expect(anchors.allSatisfy { $0.createdAt == $0.updatedAt && $0.deletedAt == nil })
    #expect(anchors.allSatisfy { before <= $0.createdAt && $0.createdAt <= Date() })
    let fractions = anchors.map {
      $0.createdAt.timeIntervalSince1970.truncatingRemainder(dividingBy: 1)
    }
    #expect(fractions.contains { $0 * 1_000 != ($0 * 1_000).rounded() }, "more than milliseconds")
  }

  @Test func methodsThatEditSetTheDate() {
    let old = Date(timeIntervalSince1970: 1)
    let edits: [(inout HBAnchor) -> Void] = [
      { $0.update(transform: matrix_identity_float4x4) }, { $0.update(metadata: ["b": 2]) },
      { $0.updateMetadata(key: "a", value: 2) }, { $0.markDeleted() }, { $0.restore() },
    ]
    for edit in edits {
      var edited = anchor(transform: [], at: old)
      edit(&edited)
      #expect(edited.updatedAt > old)
      #expect(edited.createdAt == old)
    }
  }

  @Test func nilRemovesAKeyAndNullIsAValue() {
    var anchor = HBAnchor(spaceId: UUID(), transform: matrix, metadata: ["a": 1, "b": 2])
    anchor.updateMetadata(key: "a", value: nil)
    anchor.updateMetadata(key: "b", value: .null)
    #expect(anchor.metadata == ["b": nil])
    #expect(anchor.metadata(forKey: "b") == .null)
    #expect(anchor.metadata(forKey: "a") == nil)
    anchor.update(metadata: [:])
    #expect(!anchor.hasMetadata)
  }

  @Test func metadataIsReadByKind() {
    let anchor = HBAnchor(
      spaceId: UUID(), transform: matrix,
      metadata: ["s": "x", "i": 1, "d": 2.0, "b": true, "a": [1], "o": ["k": 1]])
    #expect(anchor.hasMetadata)
    #expect(anchor.stringMetadata(forKey: "s") == "x")
    #expect(anchor.intMetadata(forKey: "i") == 1)
    #expect(anchor.doubleMetadata(forKey: "d") == 2)
    #expect(anchor.boolMetadata(forKey: "b") == true)
    #expect(anchor.arrayMetadata(forKey: "a") == [1])
    #expect(anchor.dictionaryMetadata(forKey: "o") == ["k": 1])
    for key in ["i", "d", "b", "a", "o"] { #expect(anchor.stringMetadata(forKey: key) == nil) }
    #expect(anchor.doubleMetadata(forKey: "i") == nil)
    #expect(anchor.intMetadata(forKey: "d") == nil)
  }

  /// Defect: deleting twice moved the time of the deletion.
  @Test func aSecondDeletionKeepsTheTimeOfTheFirst() throws {
    var anchor = HBAnchor(spaceId: UUID(), transform: matrix)
    anchor.markDeleted()
    let deleted = try #require(anchor.deletedAt)
    #expect(anchor.isDeleted && anchor.updatedAt == deleted)
    anchor.updatedAt = .distantPast
    anchor.markDeleted()
    #expect(anchor.deletedAt == deleted)
    #expect(anchor.updatedAt >= deleted)
    anchor.restore()
    #expect(!anchor.isDeleted && anchor.deletedAt == nil)
  }

  @Test func anAnchorIsCodedWithTheSDKsKeys() throws {
    var anchor = HBAnchor(
      spaceId: UUID(), transform: matrix, metadata: ["text": "Milk", "size": 2.0])
    anchor.transform[0] = 0.1
    anchor.transform[1] = -0.0
    let data = try JSONEncoder().encode(anchor)
    let keys = try JSONDecoder().decode([String: AnyCodableValue].self, from: data).keys
    #expect(
      Set(keys) == ["id", "spaceId", "transform", "metadata", "createdAt", "updatedAt"])
    anchor.markDeleted()
    let read = try JSONDecoder().decode(HBAnchor.self, from: try JSONEncoder().encode(anchor))
    #expect(read == anchor)
    #expect(read.transform.isIdentical(to: anchor.transform))
    #expect(read.isDeleted)
  }

  @Test func errorsSayWhatIsWrong() {
    let texts = [
      HBAnchorError.invalidTransform(count: 5), .alreadyDeleted,
      .metadataKeyNotFound(key: "my\u{7}"),
    ].map(\.localizedDescription)
    #expect(
      texts == [
        "a transform has 16 numbers, column by column, not 5",
        "the anchor is deleted already; restore it first",
        #"the anchor has no metadata "my\u{7}""#,
      ])
  }

  private func anchor(transform: [Float], at date: Date = Date()) -> HBAnchor {
    HBAnchor(
      id: UUID(), spaceId: UUID(), transform: transform, metadata: ["a": 1], createdAt: date,
      updatedAt: date)
  }
}
