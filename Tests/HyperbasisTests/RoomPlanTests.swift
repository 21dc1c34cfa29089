import HyperbasisCore
import Testing

@testable import Hyperbasis

@Suite struct RoomPlanTests {
  @Test func aWallBecomesAnAnchor() throws {
    let drafts = try read(Sample.wall([:]))
    let draft = try #require(drafts.first)
    #expect(drafts.count == 1)
    #expect(draft.id == AnchorID(text: uuid(1)))
    #expect(
      draft.transform == (try Transform([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1.5, -0.25, 2, 1])))
    #expect(!draft.isDeleted)
    #expect(
      JSON.write(.object(draft.metadata))
        == #"{"category":"wall","confidence":"high","dimensions":[2.5,2.4375,0.0],"kind":"wall","story":0}"#
    )
  }

  @Test func everyFieldIsKept() throws {
    let door = Sample.item(
      2, #"{"door":{"isOpen":true}}"#,
      [
        "parentIdentifier": "\"\(uuid(1).uppercased())\"", "attributes": #"{"ChairType":"dining"}"#,
        "polygonCorners": "[[0,1.1920929e-07,0.1],[1,2,3]]",
        "completedEdges": #"[{"top":{}},"left",{"bottom":{}},{"top":{}}]"#,
        "curve": #"{"radius":1,"center":[0,0.5]}"#, "confidence": "\"medium\"", "story": "2",
      ])
    let draft = try #require(try read(Sample.room(["doors": [door]])).first)
    #expect(
      draft.metadata
        == object([
          "kind": .string("door"), "category": .string("door"), "isOpen": .bool(true),
          "confidence": .string("medium"),
          "dimensions": .array([.double(2.5), .double(2.4375), .double(0)]),
          "parent": .string(uuid(1)), "story": .int(2),
          "attributes": .object(object(["ChairType": .string("dining")])),
          "polygonCorners": .array([
            .array([.double(0), .double(1.1920929e-07), .double(0.1)]),
            .array([.double(1), .double(2), .double(3)]),
          ]),
          "completedEdges": .array([.string("bottom"), .string("left"), .string("top")]),
          "curve": .object(
            object(["radius": .int(1), "center": .array([.int(0), .double(0.5)])])),
        ]))
  }

  @Test func whatTheFileMayLackIsOptional() throws {
    let bare = Sample.wall(["confidence": nil, "parentIdentifier": nil, "story": nil])
    let draft = try #require(try read(bare).first)
    #expect(draft.metadata.entries.map(\.key) == ["category", "dimensions", "kind"])
    #expect(draft.ownedKeys == RoomPlanItem.ownedKeys.sorted())
    #expect(draft.ownedKeys.contains("parent"))
  }

  @Test func emptyAndAbsentAreTheSame() throws {
    let empty = Sample.wall([
      "polygonCorners": "[]", "completedEdges": "[]", "attributes": "{}", "curve": "null",
    ])
    #expect(try read(empty) == read(Sample.wall([:])))
  }

  @Test func anEnumerationIsAnObjectOfOneKeyOrAString() throws {
    let plain = Sample.room(["walls": [Sample.item(1, "\"wall\"", ["confidence": "\"high\""])]])
    #expect(try read(plain) == read(Sample.wall([:])))
  }

  @Test func bothTextFormsOfAFloatAreEqual() throws {
    let short = Sample.wall(["dimensions": "[0.9870156,3.4638472,0]"])
    let wide = Sample.wall([
      "dimensions": "[\(Double(Float(0.9870156))),3.4638471603393555,0.0]",
      "transform": "[1.0,0,0,0,0,1,0,0,0,0,1,0,1.5,-2.5e-1,2,1]",
    ])
    let draft = try #require(try read(short).first)
    #expect(try read(wide) == [draft])
    #expect(
      draft.metadata["dimensions"]
        == .array([.double(0.9870156), .double(3.4638472), .double(0)]))
  }

  @Test func unknownNamesAreKept() throws {
    let item = Sample.item(
      1, #"{"hammock":{}}"#,
      [
        "attributes": #"{"HammockType":{"rope":{}}}"#, "confidence": #"{"certain":{}}"#,
        "texture": "[1,2.0]", "kind": "\"mine\"", "extra": "7",
      ])
    let metadata = try #require(
      try read(Sample.room(["objects": [item]], #","later":[1]"#)).first
    ).metadata
    #expect(metadata["category"] == .string("hammock"))
    #expect(metadata["confidence"] == .string("certain"))
    #expect(metadata["attributes"] == .object(object(["HammockType": .string("rope")])))
    #expect(metadata["texture"] == .array([.int(1), .double(2)]))
    #expect(metadata["kind"] == .string("object"))
    #expect(metadata["extra"] == .object(object(["kind": .string("mine"), "extra": .int(7)])))
  }

  @Test func aCategoryThatCarriesMoreIsKeptWhole() throws {
    let item = Sample.item(1, #"{"door":{"isOpen":false,"handle":"left"}}"#)
    let metadata = try #require(try read(Sample.room(["doors": [item]])).first).metadata
    #expect(metadata["category"] == .string("door"))
    #expect(metadata["isOpen"] == .bool(false))
    #expect(
      metadata["extra"]
        == .object(
          object([
            "category": .object(
              object([
                "door": .object(object(["isOpen": .bool(false), "handle": .string("left")]))
              ]))
          ])))
  }

  @Test func theOrderIsFixed() throws {
    let text = Sample.room([
      "objects": [Sample.item(6)], "floors": [Sample.item(5)], "openings": [Sample.item(4)],
      "windows": [Sample.item(3)], "doors": [Sample.item(2)],
      "walls": [Sample.item(9), Sample.item(1)],
    ])
    let drafts = try read(text)
    #expect(drafts.map(\.id) == [9, 1, 2, 3, 4, 5, 6].map { AnchorID(text: uuid($0)) })
    #expect(
      drafts.map { $0.metadata["kind"] }
        == ["wall", "wall", "door", "window", "opening", "floor", "object"].map(Value.string))
  }

  @Test func aRoomOfNothingIsEmpty() throws {
    #expect(try read(#"{"walls":[],"coreModel":"AA\/\/","sections":[],"version":2}"#) == [])
  }

  @Test func theLayoutOfTheTextDoesNotMatter() throws {
    let line = Sample.room(["walls": [Sample.item(1)]], #","doors":[]"#)
    let spread = line.replacing("[]", with: "[\n\n  ]").replacing(",", with: ",\n").replacing(
      ":", with: " : ")
    #expect(try read(spread) == read(line))
    #expect(try read("\n" + line + "\n\n") == read(line))
  }

  @Test func aStructureIsItsTopLevel() throws {
    let old = "[9,9,9]"
    let rooms = [
      Sample.room(["walls": [Sample.item(3, "\"wall\"", ["dimensions": old])]]),
      Sample.room([
        "walls": [
          Sample.item(1, "\"wall\"", ["dimensions": old]),
          Sample.item(3, "\"wall\"", ["dimensions": old]), Sample.item(7),
        ]
      ]),
    ]
    let drafts = try read(
      Sample.room([
        "walls": [Sample.item(1), Sample.item(2), Sample.item(3)], "rooms": rooms,
      ]))
    #expect(drafts.map { $0.metadata["room"] } == [.int(1), nil, .int(0)])
    #expect(
      drafts.allSatisfy {
        $0.metadata["dimensions"] == .array([.double(2.5), .double(2.4375), .double(0)])
      })
  }
}
