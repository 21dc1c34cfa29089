import Foundation
import Testing

@testable import Hyperbasis

struct SDKDateTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:01.5Z", 1_500_000_000),
    ("1969-12-31T23:59:59.999999999Z", -1), ("2000-02-29T00:00:00Z", 951_782_400_000_000_000),
    ("2025-01-02T03:04:05+02:00", 1_735_779_845_000_000_000),
    ("2025-01-02T03:04:05-0130", 1_735_792_445_000_000_000),
    ("1970-01-01T00:00:00.0000000019Z", 1), ("1970-01-01T00:00:00.123Z", 123_000_000),
    ("2262-04-11T23:47:16.854775807Z", Int64.max),
  ])
  func datesAreExact(text: String, expected: Int64) {
    #expect(SDKDate.nanoseconds(text) == expected)
  }

  @Test(arguments: [
    "", "2025", "2025-01-02", "2025-01-02 03:04:05Z", "2025-01-02T03:04:05", "2025-13-01T00:00:00Z",
    "2025-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2025-04-31T00:00:00Z", "2025-00-01T00:00:00Z",
    "2025-01-02T24:00:00Z", "2025-01-02T03:60:05Z", "2025-01-02T03:04:60Z", "2025-01-02T03:04:05.Z",
    "2025-01-02T03:04:05Z ", "2025-01-02T03:04:05ZZ", "+2025-01-02T03:04:05Z",
    "9999-01-01T00:00:00Z",
    "1600-01-01T00:00:00Z", "2262-04-11T23:47:16.854775808Z", "2025-01-02T03:04:05+2:00",
    "２025-01-02T03:04:05Z",
  ])
  func whatIsNoDateIsRefused(text: String) {
    #expect(SDKDate.nanoseconds(text) == nil)
  }

  @Test func foundationAgrees() {
    let formatter = ISO8601DateFormatter()
    var random = SplitMix(seed: 3)
    for _ in 0..<500 {
      // From 1700 to 2250.
      let seconds = Int64(random.next() % 17_000_000_000) - 8_500_000_000
      let text = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
      #expect(SDKDate.nanoseconds(text) == seconds * 1_000_000_000, "\(text)")
    }
  }
}
