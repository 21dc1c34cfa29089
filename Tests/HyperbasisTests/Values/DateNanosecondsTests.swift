import Foundation
import Testing

@testable import Hyperbasis

struct DateNanosecondsTests {
  /// Within 98 days of 2001 a Date has steps below a nanosecond.
  private static let fineSeconds = 98.0 * 86_400

  @Test func aDateOfOurTimesRoundTripsToTheBit() {
    var random = SplitMix(seed: 1)
    let first = Date(timeIntervalSince1970: 0).timeIntervalSinceReferenceDate
    let span = 130 * 365.25 * 86_400
    var tried = 0
    while tried < 10_000 {
      // Whole seconds and the rest apart, so that the last bits are not always zero.
      let whole = (span * Double(random.next() >> 11) * 0x1p-53).rounded()
      let seconds = first + whole + Double(random.next() >> 11) * 0x1p-53
      guard abs(seconds) > Self.fineSeconds else { continue }
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      let read = Date(nanoseconds: date.nanoseconds)
      guard same(read, date) else {
        Issue.record("\(seconds) came back as \(read.timeIntervalSinceReferenceDate)")
        return
      }
      tried += 1
    }
  }

  @Test func aDateOfWholeNanosecondsRoundTripsAtAnyTime() {
    var random = SplitMix(seed: 2)
    let centre: Int64 = 978_307_200_000_000_000
    for round in 0..<10_000 {
      // Half of them near the reference date, where doubles are finest.
      let offset = Int64(bitPattern: random.next()) >> (round % 2 == 0 ? 2 : 20)
      let date = Date(nanoseconds: centre + offset)
      #expect(same(Date(nanoseconds: date.nanoseconds), date))
    }
  }

  @Test func theZeroIsIn1970() {
    #expect(Date(timeIntervalSince1970: 0).nanoseconds == 0)
    #expect(Date(nanoseconds: 0).timeIntervalSince1970 == 0)
    #expect(Date(timeIntervalSince1970: 1.5).nanoseconds == 1_500_000_000)
    #expect(Date(timeIntervalSince1970: -1.5).nanoseconds == -1_500_000_000)
    #expect(Date(nanoseconds: -200).timeIntervalSinceReferenceDate < -978_307_200)
    #expect(Date(timeIntervalSinceReferenceDate: -1e-12).nanoseconds == 978_307_200_000_000_000)
  }

  @Test func whatDoesNotFitIsTheNearest() {
    #expect(Date.distantFuture.nanoseconds == .max)
    #expect(Date.distantPast.nanoseconds == .min)
    #expect(Date(timeIntervalSinceReferenceDate: .infinity).nanoseconds == .max)
    #expect(Date(timeIntervalSinceReferenceDate: -.infinity).nanoseconds == .min)
    #expect(Date(timeIntervalSinceReferenceDate: .greatestFiniteMagnitude).nanoseconds == .max)
    #expect(Date(timeIntervalSinceReferenceDate: .nan).nanoseconds == 0)
    for end in [Int64.min, .min + 1, .max - 1, .max] {
      let date = Date(nanoseconds: end)
      #expect(same(Date(nanoseconds: date.nanoseconds), date))
      #expect(abs(date.timeIntervalSince1970 - Double(end) / 1e9) < 1e-5)
    }
  }

  private func same(_ left: Date, _ right: Date) -> Bool {
    left.timeIntervalSinceReferenceDate.bitPattern
      == right.timeIntervalSinceReferenceDate.bitPattern
  }
}
