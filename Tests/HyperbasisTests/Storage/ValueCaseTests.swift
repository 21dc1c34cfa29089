import Foundation
import Hyperbasis
import HyperbasisCore
import Testing

/// H04, H05, H06: numbers, keys and floats keep their type and their bytes on every way.
@Suite(.timeLimit(.minutes(5))) struct ValueCaseTests {
  private let directory = PeerDirectory()

  /// A value with its types and bits, as `==` does not tell all of it.
  private func picture(_ value: AnyCodableValue?) -> String {
    switch value {
    case nil: "nothing"
    case .null?: "null"
    case .bool(let bool)?: "\(bool)"
    case .int(let int)?: "int \(int)"
    case .double(let double)?: "double \(String(double.bitPattern, radix: 16))"
    case .string(let string)?: "string \(Array(string.utf8))"
    case .array(let values)?: "[" + values.map(picture).joined(separator: ", ") + "]"
    case .dictionary(let entries)?:
      "{"
        + entries.sorted { $0.key < $1.key }.map { "\(Array($0.key.utf8)): \(picture($0.value))" }
        .joined(separator: ", ") + "}"
    }
  }

  private func picture(_ anchor: HBAnchor?) -> String {
    anchor.map { picture(.dictionary($0.metadata)) } ?? "nothing"
  }

  private static let numbers: [AnyCodableValue] = [
    .int(1), .double(1.0), .double(3.0), .int(-1), .int(9_007_199_254_740_993), .int(.max),
    .int(.min), .double(0.1), .double(Double(bitPattern: 2_024)), .double(1e308), .double(-0.0),
    .double(0.0),
  ]

  @Test func `H04: numbers keep type and bits on every way, and unchanged saves write nothing`()
    async throws
  {
    var metadata: [String: AnyCodableValue] = [:]
    for (index, number) in Self.numbers.enumerated() { metadata["n\(index)"] = number }
    metadata["array"] = .array(Self.numbers)
    metadata["object"] = .dictionary(metadata)
    let anchor = HBAnchor(spaceId: UUID(), transform: at(1), metadata: metadata)
    let right = picture(anchor)
    do {
      let storage = localStorage(directory)
      try await storage.save(anchor)
      #expect(picture(try await storage.loadAnchor(id: anchor.id)) == right)
    }
    let first = lanStorage(directory, "a")
    let second = lanStorage(directory, "b", dialling: [first])
    try await second.open()
    #expect(picture(try await first.loadAnchor(id: anchor.id)) == right)
    #expect(try await eventually { try await second.loadAnchor(id: anchor.id) != nil })
    #expect(picture(try await second.loadAnchor(id: anchor.id)) == right)

    try await first.update(anchorId: anchor.id) { $0.metadata = ["n0": 2] }
    let back = try await first.rollback(anchorId: anchor.id, toVersion: 1)
    #expect(picture(back) == right)
    #expect(
      try await eventually { try await second.history(anchorId: anchor.id).count >= 3 })
    for storage in [first, second] {
      let before = try await storage.history(anchorId: anchor.id).map(\.version)
      for _ in 0..<100 { try await storage.save(storage.loadAnchor(id: anchor.id)!) }
      #expect(picture(try await storage.loadAnchor(id: anchor.id)) == right)
      #expect(try await storage.history(anchorId: anchor.id).map(\.version) == before)
    }
    let created = try await second.history(anchorId: anchor.id)[0]
    #expect(picture(created.metadata.map { .dictionary($0) }) == picture(.dictionary(metadata)))
  }

  @Test func `H05: keys are their bytes, and what is no text is refused where it comes in`()
    async throws
  {
    let keys = [
      "caf\u{E9}", "cafe\u{301}", "", "a\u{0}b", "A", "a", "\u{200F}right",
      String(repeating: "k", count: 1_024),
    ]
    let first = try directory.peer("a")
    let port = try await first.start()
    let second = try directory.peer("b", knownPeers: ["127.0.0.1:\(port)"])
    try await second.start()
    let space = try await first.createSpace(named: "Hall")
    try await second.joinSpace(space)
    let note = try await first.put(in: space, metadata: [:])
    try await directory.equal([first, second], space)
    for (index, key) in keys.enumerated() {
      let writer = index % 2 == 0 ? first : second
      try await writer.put(note, in: space, metadata: [key: .int(index)])
    }
    try await directory.equal([first, second], space)
    for peer in [first, second] {
      let held = try await peer.call { loop in
        loop.engine.rooms[SpaceID(space)]!.state.anchor(AnchorID(note))!.metadata
      }
      for (index, key) in keys.enumerated() {
        #expect(held[Key(key)] == .int(Int64(index)), "\(Array(key.utf8))")
      }
    }
    await #expect(throws: (any Error).self) {
      try await first.put(
        note, in: space, metadata: [String(repeating: "k", count: 10_000): .null])
    }
    #expect(refusal("{\"id\": \"\(note)\", \"metadata\": {\"\\ud800\": 1}}") != nil)
  }

  @Test(arguments: [Float.nan, Float(bitPattern: 0x7FC0_0001), .infinity, -.infinity])
  func `H06: a transform that is none is refused by the call`(number: Float) async throws {
    let storage = localStorage(directory)
    var anchor = HBAnchor(spaceId: UUID(), transform: at(1))
    anchor.transform[5] = number
    await #expect(throws: HBStorageError.self) { try await storage.save(anchor) }
    #expect(try await storage.loadAnchor(id: anchor.id) == nil)
  }

  @Test func `H06: zeros of both signs keep their bits, and two devices come to agree`()
    async throws
  {
    let first = lanStorage(directory, "a")
    let second = lanStorage(directory, "b", dialling: [first])
    try await second.open()
    let anchor = HBAnchor(spaceId: UUID(), transform: at(-0.0), metadata: ["z": .double(-0.0)])
    try await first.save(anchor)
    #expect(try await eventually { try await second.loadAnchor(id: anchor.id) != nil })
    #expect(try await second.loadAnchor(id: anchor.id)!.transform[12].sign == .minus)
    async let plus = first.update(anchorId: anchor.id) { $0.metadata["z"] = .double(0.0) }
    async let minus = second.update(anchorId: anchor.id) { $0.metadata["z"] = .double(-0.0) }
    _ = try await (plus, minus)
    let agree = try await eventually {
      let both = try await [first.loadAnchor(id: anchor.id), second.loadAnchor(id: anchor.id)]
      return picture(both[0]) == picture(both[1])
    }
    #expect(agree)
  }
}
