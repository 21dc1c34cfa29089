import HyperbasisCore
import Testing

/// The hybrid clock never repeats and never goes back.
@Suite struct ClockTests {
  @Test func `a frozen wall clock counts, and the counter carries`() {
    var clock = HybridClock()
    #expect(clock.next(now: 5) == Timestamp(milliseconds: 5))
    #expect(clock.next(now: 5) == Timestamp(milliseconds: 5, counter: 8))
    for _ in 0..<8_190 { _ = clock.next(now: 5) }
    #expect(clock.next(now: 5) == Timestamp(milliseconds: 6))
    #expect(clock.next(now: 6) == Timestamp(milliseconds: 6, counter: 8))
    #expect(clock.next(now: 6, fraction: 128) == Timestamp(milliseconds: 6, counter: 32_768))
    #expect(clock.next(now: 6, fraction: 127) == Timestamp(milliseconds: 6, counter: 32_776))
    #expect(clock.last.nanoseconds == 6_500_122)
  }

  @Test func `a corrected clock still gives later stamps`() {
    var clock = HybridClock()
    let fast = clock.next(now: 240_000)
    let right = clock.next(now: 10)
    #expect(right > fast)
    var reloaded = HybridClock(last: right)
    #expect(reloaded.next(now: 20) > right)
  }

  @Test func `what was observed is passed`() {
    var clock = HybridClock()
    clock.observe(Timestamp(milliseconds: 100, counter: 7))
    #expect(clock.next(now: 50) == Timestamp(milliseconds: 100, counter: 8))
    clock.observe(Timestamp(milliseconds: 1))
    #expect(clock.next(now: 50) == Timestamp(milliseconds: 100, counter: 16))
    #expect(clock.next(now: 200) == Timestamp(milliseconds: 200))
  }

  @Test func `after the last timestamp of all there is no trap`() {
    var clock = HybridClock(last: Timestamp(bits: .max))
    #expect(clock.next(now: 1) == Timestamp(bits: .max))
  }

  @Test func `what is made anew lies between two ticks of a clock`() {
    for bits: UInt64 in [0, 8, 65_528, 65_536, .max - 15] {
      let before = Timestamp(bits: bits)
      var clock = HybridClock(last: before)
      let after = clock.next(now: 0)
      #expect(before.tick == before && after.tick == after)
      #expect(before < before.anew && before.anew < before.anew.anew)
      #expect(before.anew.anew < before.afterGivenUp && before.afterGivenUp < after, "\(bits)")
      #expect(before.afterGivenUp.isOfUnknownAge && !before.anew.isOfUnknownAge)
      // What stands for something of unknown age is of unknown age.
      let again = before.afterGivenUp.anew
      #expect(again.isOfUnknownAge && again > before.afterGivenUp)
      #expect(before.anew.tick == before)
    }
    let seventh = (1...7).reduce(Timestamp(bits: 16)) { before, _ in before.anew }
    #expect(seventh.isOfUnknownAge)
    let last = Timestamp(bits: .max)
    #expect(last.anew == last && last.afterGivenUp == last)
  }

  @Test func `the largest wall clock is no trap`() {
    var clock = HybridClock()
    let first = clock.next(now: .max)
    #expect(clock.next(now: .max) > first)
  }

  @Test func `a timestamp of a date is the latest that is not after it`() {
    #expect(Timestamp(nanoseconds: 1_500_000) == Timestamp(milliseconds: 1, counter: 32_768))
    #expect(Timestamp(nanoseconds: -1) == .zero)
    #expect(Timestamp(nanoseconds: .max).nanoseconds <= .max)
    for bits in (0...70_000).map({ UInt64($0) << 16 | UInt64($0 & 0xFFFF) }) + [0, 1, 65_535] {
      let timestamp = Timestamp(bits: bits)
      #expect(Timestamp(nanoseconds: timestamp.nanoseconds) == timestamp)
    }
    for date: Int64 in [0, 1, 14, 15, 16, 999_999, 1_735_787_045_123_456_789] {
      let timestamp = Timestamp(nanoseconds: date)
      #expect(timestamp.nanoseconds <= date)
      #expect(Timestamp(bits: timestamp.bits + 1).nanoseconds > date)
    }
  }

  @Test func `stamps are ordered by time, replica, sequence`() {
    let stamps = [
      change(1, 1, at: 1, [.name("")]).stamp, change(1, 2, at: 1, [.name("")]).stamp,
      change(2, 1, at: 1, [.name("")]).stamp, change(1, 1, at: 2, [.name("")]).stamp,
    ]
    for (index, stamp) in stamps.enumerated() {
      for (other, otherStamp) in stamps.enumerated() {
        #expect((stamp < otherStamp) == (index < other))
      }
    }
  }

  @Test func `a version vector covers, merges and counts`() {
    var vector = VersionVector()
    #expect(vector[replica(1)] == 0)
    vector[replica(2)] = 3
    vector[replica(1)] = 5
    vector[replica(9)] = 0
    #expect(vector.entries.map(\.replica) == [replica(1), replica(2)])
    #expect(vector.covers(Dot(replica: replica(2), sequence: 3)))
    #expect(!vector.covers(Dot(replica: replica(2), sequence: 4)))
    #expect(!vector.covers(Dot(replica: replica(3), sequence: 1)))
    var other = VersionVector()
    other[replica(2)] = 4
    #expect(!vector.covers(other))
    #expect(vector.count(beyond: other) == 5)
    #expect(other.count(beyond: vector) == 1)
    vector.merge(other)
    #expect(vector.covers(other) && vector.covers(VersionVector()))
    #expect(vector[replica(2)] == 4)
    vector[replica(2)] = 0
    #expect(vector.entries.count == 1)
  }
}
