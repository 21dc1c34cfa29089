import HyperbasisCore
import Testing

/// Values are equal when type and bits are.
@Suite struct ValueTests {
  @Test func `awkward values differ from each other and equal themselves`() {
    for (index, value) in values.enumerated() {
      for (other, otherValue) in values.enumerated() {
        #expect((value == otherValue) == (index == other), "\(value) and \(otherValue)")
      }
    }
  }

  @Test func `keys are their bytes`() {
    #expect(Key("caf\u{E9}") != Key("cafe\u{301}"))
    #expect(Set<Key>(["caf\u{E9}", "cafe\u{301}", "caf\u{E9}"]).count == 2)
    #expect(Key("cafe\u{301}") < Key("caf\u{E9}"))
    #expect(Key("") < Key("\0"))
    #expect(Key("Z") < Key("a"))
    // UTF-16 order would say the opposite.
    #expect(Key("\u{FFFD}") < Key("\u{1F9ED}"))
  }

  @Test func `an object keeps its keys in byte order, each once`() throws {
    let keys: [Key] = ["b", "", "caf\u{E9}", "a", "cafe\u{301}"]
    let entries = keys.map { Value.Object.Entry(key: $0, value: .string($0.text)) }
    var object = try #require(Value.Object(entries))
    #expect(object.entries.map(\.key) == keys.sorted())
    #expect(Value.Object(entries + [entries[0]]) == nil)
    for key in keys { #expect(object[key] == .string(key.text)) }
    object["a"] = nil
    object["nothing"] = nil
    object["b"] = .int(1)
    object["c"] = .int(2)
    #expect(object.entries.map(\.key) == (["", "b", "c", "cafe\u{301}", "caf\u{E9}"] as [Key]))
    #expect(object["b"] == .int(1))
    #expect(object["a"] == nil)
  }

  @Test func `transforms compare bit for bit`() throws {
    let zero = try Transform.identity.moved(to: (0, 0, 0))
    let minus = try Transform.identity.moved(to: (-0.0, 0, 0))
    #expect(zero == Transform.identity)
    #expect(zero != minus)
    #expect(minus.position.x.sign == .minus)
  }

  @Test func `identifiers have one canonical text`() throws {
    let text = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
    let id = try #require(AnchorID(text: text))
    #expect(id.description == text)
    #expect(AnchorID(text: text.uppercased()) == id)
    #expect(id.hex == "f81d4fae7dec11d0a76500a0c91e6bf6")
    #expect(AnchorID(hex: id.hex) == id)
    #expect(AnchorID(0).description == "00000000-0000-0000-0000-000000000000")
    #expect(AnchorID(.max).hex == String(repeating: "f", count: 32))
    let refused = [
      "", "f81d4fae", text + "0", String(text.dropLast()), "f81d4fae7dec11d0a76500a0c91e6bf6",
      "f81d4fae-7dec-11d0-a765-00a0c91e6bg6", "f81d4fae-7dec-11d0-a765+00a0c91e6bf6",
      "\u{FF46}81d4fae-7dec-11d0-a765-00a0c91e6bf6", "+81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    ]
    for text in refused { #expect(AnchorID(text: text) == nil, "\(text)") }
    #expect(AnchorID(hex: "+0000000000000000000000000000001") == nil)
    #expect(AnchorID(hex: text) == nil)
  }
}
