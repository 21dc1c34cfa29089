import HyperbasisCore
import Testing

@testable import Hyperbasis

@Suite struct RoomPlanRefusalTests {
  static let unrecognised = """
    the file is not a RoomPlan CapturedRoom ("walls" is missing, and so are its other arrays), \
    nor JSON lines of anchors (on each line "id", and "transform" or "position")
    """
  static let notRoomPlan = "the file is not a RoomPlan CapturedRoom; export it from RoomPlan itself"

  @Test(arguments: [
    ("", "the file is empty; expected RoomPlan JSON or JSON lines of anchors"),
    (" \n ", "the file is empty; expected RoomPlan JSON or JSON lines of anchors"),
    ("[]", "the document is an array, expected an object"),
    ("{}", unrecognised),
    (#"{"version":2,"rooms":[]}"#, unrecognised),
    (#"{"id":1,"surfaces":[]}"#, unrecognised),
    ("{\n\"id\":1,\n\"position\":[0,0,0]}", unrecognised),
    (
      "{\"walls\":[]}\n{}",
      "line 2, column 1: expected the end, found more text after the first value"
    ),
    (
      "{\n\"walls\": [\n",
      "line 3, column 1: the text ends where a value was expected; is it cut short?"
    ),
    (#"{"walls":{}}"#, "walls is an object, expected an array"),
    (#"{"walls":[1]}"#, "walls[0] is a number, expected an object"),
    (#"{"walls":[{"id":"x"}]}"#, "walls[0] has no \"identifier\": \(notRoomPlan)"),
    (#"{"walls":[{"identifier":"x"}]}"#, #"walls[0].identifier is "x", which is not a UUID"#),
    (
      #"{"walls":[{"identifier":4}]}"#,
      "walls[0].identifier is a number, expected a UUID string"
    ),
    (#"{"walls":[],"rooms":4}"#, "rooms is a number, expected an array"),
    (#"{"walls":[],"rooms":[[]]}"#, "rooms[0] is an array, expected an object"),
    (
      #"{"walls":[],"rooms":[{"doors":[{}]}]}"#,
      "rooms[0].doors[0] has no \"identifier\": \(notRoomPlan)"
    ),
    (
      Sample.room(["walls": [Sample.item(1)]], "} x"),
      "line 1, column 229: expected the end, found more text after the first value"
    ),
  ])
  func documents(text: String, message: String) {
    #expect(refusal(text) == message)
  }

  @Test(arguments: [
    ("category", nil, "walls[0] has no \"category\": \(notRoomPlan)"),
    ("category", "{}", "walls[0].category is an object, expected a string or an object of one key"),
    ("dimensions", nil, "walls[0] has no \"dimensions\": \(notRoomPlan)"),
    ("dimensions", "null", "walls[0] has no \"dimensions\": \(notRoomPlan)"),
    ("dimensions", "[1,2]", "walls[0].dimensions has 2 numbers, expected 3"),
    (
      "dimensions", #"{"width":1}"#,
      "walls[0].dimensions is an object, expected an array of 3 numbers"
    ),
    ("dimensions", #"[1,2,"3"]"#, "walls[0].dimensions[2] is a string, expected a number"),
    ("transform", nil, "walls[0] has no \"transform\": \(notRoomPlan)"),
    (
      "transform", "[1,0,0,0,0,1,0,0,0,0,1,0,1.5,-0.25,2]",
      "walls[0].transform has 15 numbers, expected 16"
    ),
    (
      "transform", "[1,0,0,0,0,1,0,0,0,0,1,0,1e39,-0.25,2,1]",
      "walls[0].transform[12] does not fit a 32-bit float"
    ),
    (
      "transform", "[1,0,0,0,0,1,0,0.5,0,0,1,0,0,0,0,1]",
      "walls[0].transform at index 7 should be 0: the bottom row is not 0 0 0 1"
    ),
    (
      "transform", "[1,0,0,5,0,1,0,0,0,0,1,0,0,0,0,1]",
      "walls[0].transform at index 3 should be 0: the bottom row is not 0 0 0 1"
    ),
    (
      "transform", "[1,0,0,0,0,1,0,0,0,0,1,5,0,0,0,1]",
      "walls[0].transform at index 11 should be 0: the bottom row is not 0 0 0 1"
    ),
    (
      "transform", "[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,2]",
      "walls[0].transform at index 15 should be 1: the bottom row is not 0 0 0 1"
    ),
    ("parentIdentifier", "\"x\"", #"walls[0].parentIdentifier is "x", which is not a UUID"#),
    ("polygonCorners", "[[0,1,2],[3]]", "walls[0].polygonCorners[1] has 1 numbers, expected 3"),
    ("completedEdges", "{}", "walls[0].completedEdges is an object, expected an array"),
  ])
  func fields(key: String, text: String?, message: String) {
    #expect(refusal(Sample.wall([key: text])) == message)
  }

  @Test func numbersThatJSONDoesNotHave() {
    let text = Sample.wall(["dimensions": "[NaN,2,3]"])
    #expect(refusal(text)?.hasSuffix("NaN and infinity are not JSON numbers") == true)
    let string = Sample.wall(["dimensions": #"["nan",2,3]"#])
    #expect(refusal(string) == "walls[0].dimensions[0] is a string, expected a number")
  }

  @Test func oneIdentifierTwiceInOneLevel() {
    let same = Sample.room(["walls": [Sample.item(1), Sample.item(2), Sample.item(1)]])
    #expect(refusal(same) == "walls[2].identifier repeats \(uuid(1)) of walls[0]")
    let across = Sample.room(["walls": [Sample.item(1)], "objects": [Sample.item(1)]])
    #expect(refusal(across) == "objects[0].identifier repeats \(uuid(1)) of walls[0]")
    let inRoom = Sample.room([
      "walls": [], "rooms": [Sample.room(["walls": [Sample.item(1), Sample.item(1)]])],
    ])
    #expect(
      refusal(inRoom) == "rooms[0].walls[1].identifier repeats \(uuid(1)) of rooms[0].walls[0]")
  }

  @Test func limitsNameTheKeyAndTheItem() {
    let long = String(repeating: "a", count: Limits.valueBytes)
    #expect(
      refusal(Sample.wall(["note": "\"\(long)\""]))
        == "walls[0]: metadata \"note\" has 1048580 bytes, at most 1048576 are allowed")
    let levels = Limits.valueDepth + 1
    let deep = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    #expect(
      refusal(Sample.wall(["curve": deep]))
        == "walls[0]: metadata \"curve\" is nested deeper than 32 levels")
    let key = String(repeating: "k", count: Limits.keyBytes + 1)
    #expect(
      refusal(Sample.wall([key: "1"]))
        == "walls[0]: metadata key \"\(key.prefix(40))…\" has 1025 bytes, at most 1024 are allowed")
  }

  @Test func theSizeAndTheNumberOfItemsAreBounded() {
    let items = Array(repeating: "0", count: InputLimits.items + 1).joined(separator: ",")
    #expect(refusal("{\"walls\":[\(items)]}") == "the file has more than 1000000 anchors; split it")
    let bytes = [UInt8](repeating: UInt8(ascii: " "), count: InputLimits.fileBytes + 1)
    #expect(throws: ImportError.fileTooLarge(bytes: bytes.count)) {
      try ImportFile.read(bytes: bytes)
    }
  }

  @Test func everyPrefixIsRefused() {
    let text = Array(
      Sample.room([
        "walls": [Sample.item(1)], "doors": [Sample.item(2, #"{"door":{"isOpen":true}}"#)],
      ]).utf8)
    for length in 0..<text.count {
      #expect(throws: ImportError.self) { try ImportFile.read(bytes: Array(text[..<length])) }
    }
  }

  @Test func noDamagedByteTraps() {
    let text = Array(Sample.room(["doors": [Sample.item(2, #"{"door":{"isOpen":true}}"#)]]).utf8)
    for index in text.indices {
      for bit in 0..<8 {
        var damaged = text
        damaged[index] ^= 1 << bit
        guard let drafts = try? ImportFile.read(bytes: damaged) else { continue }
        #expect(drafts.count <= 1)
      }
    }
  }
}
