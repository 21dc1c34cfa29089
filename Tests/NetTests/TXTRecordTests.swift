import Testing

@testable import HyperbasisNet

@Suite struct TXTRecordTests {
  private func string(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

  @Test func builtRecordIsTheStandardsBytes() throws {
    let record = try TXTRecord([
      ("v", Array("1".utf8)), ("flag", nil), ("empty", []), ("b", [0, 0x3D, 0xFF]),
    ])
    #expect(
      record.encoded
        == string("v=1") + string("flag") + string("empty=") + [5, 0x62, 0x3D, 0, 0x3D, 0xFF])
    #expect(TXTRecord(reading: record.encoded) == record)
    #expect(TXTRecord.empty.encoded == [0])
  }

  @Test func readValuesAndKeysWithoutValues() throws {
    let record = TXTRecord(reading: string("Name=x") + string("flag") + string("e="))
    #expect(record.text("nAME") == "x")
    #expect(record["flag"] == nil)
    #expect(record.contains("flag"))
    #expect(record["e"] == [])
    #expect(!record.contains("x"))
  }

  @Test(
    arguments: [
      ([], []),
      ([0], []),
      ([0, 0, 0], []),
      ([3, 0x3D, 0x61, 0x62], []),  // no key
      ([1, 0x80], []),  // a key outside ASCII
      ([4, 0x76, 0x3D, 0x31], []),  // breaks off
      ([3, 0x76, 0x3D, 0x31, 200, 1], ["v"]),  // breaks off later
      ([3, 0x76, 0x3D, 0x31, 3, 0x56, 0x3D, 0x32], ["v"]),  // repeated, other case
      ([3, 0x76, 0x3D, 0xFF], ["v"]),  // value is not UTF-8
    ] as [([UInt8], [String])])
  func awkwardRecordsAreRead(bytes: [UInt8], keys: [String]) {
    let record = TXTRecord(reading: bytes)
    #expect(record.entries.map(\.key) == keys)
  }

  @Test func valueThatIsNoTextHasBytes() {
    let record = TXTRecord(reading: [3, 0x76, 0x3D, 0xFF])
    #expect(record["v"] == [0xFF])
    #expect(record.text("v") == nil)
  }

  @Test func firstOfARepeatedKeyCounts() {
    let record = TXTRecord(reading: string("v=1") + string("V=2") + string("v"))
    #expect(record.text("v") == "1")
  }

  @Test func longForeignRecordIsBounded() {
    let many = (0..<1_300).flatMap { string("k\($0)") }
    #expect(TXTRecord(reading: many).entries.count == NetLimits.txtStrings)
    let one = [UInt8(255)] + Array("k=".utf8) + Array(repeating: UInt8(7), count: 253)
    #expect(TXTRecord(reading: one)["k"]?.count == 253)
  }

  @Test func anyBytesAreReadWithoutATrap() {
    for seed in 0..<2_000 {
      let bytes = pattern(seed % 700, seed: UInt64(seed))
      let record = TXTRecord(reading: bytes)
      #expect(TXTRecord(reading: record.encoded) == record)
    }
  }

  @Test func badRecordsAreRefusedByName() {
    #expect(throws: TXTError.badKey("")) { try TXTRecord([("", [1])]) }
    #expect(throws: TXTError.badKey("a=b")) { try TXTRecord([("a=b", [1])]) }
    #expect(throws: TXTError.badKey("é")) { try TXTRecord([("é", [1])]) }
    #expect(throws: TXTError.repeatedKey("V")) { try TXTRecord([("v", [1]), ("V", nil)]) }
    #expect(throws: TXTError.tooLong(key: "k", bytes: 256, limit: 255)) {
      try TXTRecord([("k", Array(repeating: 1, count: 254))])
    }
    #expect(throws: TXTError.self) {
      try TXTRecord((0..<6).map { ("k\($0)", Array(repeating: 1, count: 250)) })
    }
  }

  @Test(arguments: [
    ("studio", "studio"),
    ("", "hyperbasis"),
    ("\u{0}\u{7}\n", "hyperbasis"),
    ("a.b\\c \"d\"", "a.b\\c \"d\""),
    (String(repeating: "x", count: 300), String(repeating: "x", count: 63)),
    // 61 bytes, then a character of 4 that does not fit.
    (String(repeating: "x", count: 61) + "😀", String(repeating: "x", count: 61)),
    (String(repeating: "x", count: 59) + "😀", String(repeating: "x", count: 59) + "😀"),
  ])
  func advertisedNameIsAlwaysValid(given: String, name: String) {
    #expect(Advertisement(instanceName: given, port: 1).instanceName == name)
  }

  @Test func numberedNameFits() {
    let long = Advertisement(instanceName: String(repeating: "x", count: 58) + "é", port: 1)
    #expect(long.renamed(12).instanceName == String(repeating: "x", count: 58) + " #12")
    #expect(Advertisement(instanceName: "a", port: 1).renamed(2).instanceName == "a #2")
  }
}
