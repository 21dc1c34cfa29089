import HyperbasisCore
import Testing

@testable import Hyperbasis

@Suite struct JSONPropertyTests {
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func everyValueComesBack(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    for _ in 0..<300 {
      let value = anyValue(depth: 0, &random)
      let text = JSON.write(value)
      #expect(!text.utf8.contains(UInt8(ascii: "\n")))
      let back = try JSON.parse(Array(text.utf8))
      #expect(back == value, "\(text)")
      #expect(JSON.write(back) == text)
    }
  }

  /// Both ways to a double agree: one exact operation, and the library's conversion.
  @Test func decimalsAreCorrectlyRounded() throws {
    var random = SplitMix(seed: 11)
    for _ in 0..<50_000 {
      let digits = String(random.next() % 10_000_000_000_000_000)
      let point = Int(random.next() % UInt64(digits.count)) + 1
      var text = digits.prefix(point) + "." + digits.dropFirst(point) + "0"
      if random.next() % 2 == 0 { text += "e\(Int(random.next() % 60) - 30)" }
      #expect(try JSON.parse(Array(text.utf8)) == .double(Double(text)!), "\(text)")
    }
  }

  @Test func everyPrefixIsRefused() {
    let text = Array(#"{"k":[1,-2.5e+3,true,null,"\u00e9\uD83D\uDE00é"],"o":{"a":false}}"#.utf8)
    for length in 0..<text.count {
      #expect(throws: JSONError.self) { try JSON.parse(Array(text[..<length])) }
    }
  }

  @Test func noDamagedByteTraps() {
    let text = Array(#"{"k":[1,-2.5e+3,true,null,"\u00e9\uD83D\uDE00é"],"o":{"a":false}}"#.utf8)
    var accepted = 0
    for index in text.indices {
      for byte in UInt8.min...UInt8.max {
        var damaged = text
        damaged[index] = byte
        if let value = try? JSON.parse(damaged) {
          accepted += 1
          #expect((try? JSON.parse(Array(JSON.write(value).utf8))) == value)
        }
      }
    }
    #expect(accepted > text.count)
  }

  private func anyValue(depth: Int, _ random: inout SplitMix) -> Value {
    switch random.next() % (depth < 4 ? 9 : 6) {
    case 0: return random.next() % 2 == 0 ? .null : .bool(random.next() % 2 == 0)
    case 1:
      let edges: [Int64] = [0, -1, 9_007_199_254_740_993, .min, .max]
      return .int(edges[Int(random.next() % 5)])
    case 2: return .int(Int64(bitPattern: random.next()))
    case 3:
      let edges = [
        -0.0, 0, 3, 0.1, 1e16, .leastNormalMagnitude, .leastNonzeroMagnitude, 1e308,
        .greatestFiniteMagnitude,
      ]
      return .double(edges[Int(random.next() % 9)])
    case 4:
      let double = Double(bitPattern: random.next())
      return .double(double.isFinite ? double : 1.5)
    case 5: return .string(anyText(&random))
    case 6: return .array((0..<random.next() % 5).map { _ in anyValue(depth: depth + 1, &random) })
    default:
      var object = Value.Object()
      for _ in 0..<random.next() % 6 {
        object[Key(anyText(&random))] = anyValue(depth: depth + 1, &random)
      }
      return .object(object)
    }
  }

  private func anyText(_ random: inout SplitMix) -> String {
    let parts = [
      "", "a", "A", "caf\u{E9}", "cafe\u{301}", "\0", "\u{200F}", "\u{FEFF}", "\"", "\\", "\n",
      "\u{1F600}", "\u{7F}", "/", "\u{2028}",
    ]
    return (0..<random.next() % 4).map { _ in parts[Int(random.next() % 15)] }.joined()
  }
}
