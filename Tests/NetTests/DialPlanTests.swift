import Testing

@testable import HyperbasisNet

private func address(_ text: String) -> SocketAddress {
  try! SocketAddress(parsing: text)
}

private let one = address("10.0.0.1:7")
private let two = address("10.0.0.2:7")
private let six = address("[2001:db8::1]:7")
private let local4 = address("169.254.0.1:7")
private let local6 = address("[fe80::1%1]:7")

@Suite final class DialPlanTests {
  private var plan = DialPlan(seed: 7)

  private func next(at now: UInt64) -> DialPlan.Dial? { plan.nextDial(at: now) }

  /// Runs the plan over a span of time with dials that all fail at once; gives the times of the
  /// dials.
  private func failures(
    of target: String, from start: UInt64, until end: UInt64
  ) -> [UInt64] {
    var times: [UInt64] = []
    var now = start
    while now < end {
      while let dial = plan.nextDial(at: now) {
        if dial.target == target { times.append(now) }
        plan.dialFailed(dial.target, at: now)
      }
      guard let deadline = plan.nextDeadline else { break }
      now = max(now + 1, deadline)
    }
    return times
  }

  @Test func addressesInOrderOfPreference() {
    plan.found("p", addresses: [local6, six, local4, two, one, two], at: 0)
    var order: [SocketAddress] = []
    while let dial = plan.nextDial(at: 0) {
      order.append(dial.address)
      plan.dialFailed("p", at: 0)
    }
    #expect(order == [two, one, six, local4, local6])
    plan.linked("p", address: six, at: 10)
    plan.unlinked("p", at: 20)
    #expect(next(at: 1_000)?.address == six)
  }

  @Test func pausesDoubleUpToTwoSeconds() {
    plan.give("p", addresses: [one], at: 0)
    let times = failures(of: "p", from: 0, until: 20_000)
    let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
    let nominal: [UInt64] = [250, 500, 1_000, 2_000, 2_000, 2_000, 2_000, 2_000]
    #expect(times.first == 0)
    for (pause, full) in zip(pauses, nominal) {
      #expect(pause <= full && pause >= full - full / 4)
    }
    #expect(pauses.count >= nominal.count)
    #expect(Set(pauses.suffix(5)).count > 1)  // the jitter does something
  }

  @Test func sameSeedSameTimes() {
    func times(seed: UInt64) -> [UInt64] {
      plan = DialPlan(seed: seed)
      plan.give("p", addresses: [one], at: 0)
      return failures(of: "p", from: 0, until: 60_000)
    }
    let first = times(seed: 7)
    #expect(first == times(seed: 7))
    #expect(first != times(seed: 8))
  }

  @Test func oneDialPerTargetAndFewInAll() {
    for number in 0..<20 { plan.give("p\(number)", addresses: [one, two], at: 0) }
    var targets: [String] = []
    while let dial = plan.nextDial(at: 0) { targets.append(dial.target) }
    #expect(targets.count == DialPlan.Limits.dials)
    #expect(Set(targets).count == targets.count)
    #expect(plan.nextDeadline == nil)
    plan.dialFailed(targets[0], at: 5)
    #expect(plan.nextDeadline != nil)
    #expect(next(at: 5) != nil)
    #expect(next(at: 5) == nil)
  }

  @Test func linkedTargetIsNotDialled() {
    plan.give("p", addresses: [one], at: 0)
    #expect(next(at: 0) != nil)
    plan.linked("p", address: one, at: 10)
    #expect(failures(of: "p", from: 10, until: 100_000) == [])
    #expect(plan.nextDeadline == nil)
    plan.unlinked("p", at: 100_000)
    let again = failures(of: "p", from: 100_000, until: 101_000)
    #expect((100_180...100_250).contains(again.first ?? 0))
  }

  @Test func linkThatFallsAtOnceDoesNotMakeAStorm() {
    plan.give("p", addresses: [one], at: 0)
    var now: UInt64 = 0
    var dials = 0
    while now < 60_000 {
      if plan.nextDial(at: now) != nil {
        dials += 1
        plan.linked("p", address: one, at: now)
        plan.unlinked("p", at: now + 10)
        now += 10
      }
      now = max(now + 1, plan.nextDeadline ?? now)
    }
    #expect((25...45).contains(dials))
  }

  @Test func steadyLinkMakesThePauseShortAgain() {
    plan.give("p", addresses: [one], at: 0)
    _ = failures(of: "p", from: 0, until: 20_000)
    plan.linked("p", at: 20_000)
    plan.unlinked("p", at: 20_000 + DialPlan.Limits.steadyLink)
    #expect(next(at: 25_250) != nil)
  }

  @Test func heldTargetWaits() {
    plan.found("p", addresses: [one, two], at: 0)
    #expect(next(at: 0)?.address == one)
    plan.hold("p", until: 30_000)
    #expect(plan.nextDeadline == 30_000)
    plan.found("p", addresses: [one, six], at: 100)  // news do not break a hold
    #expect(next(at: 29_999) == nil)
    #expect(next(at: 30_000)?.address == one)
  }

  @Test func lostTargetIsTriedSeldomAndForgotten() {
    plan.found("p", addresses: [one, two], at: 0)
    _ = failures(of: "p", from: 0, until: 9_000)
    plan.lost("p", at: 9_000)
    let times = failures(of: "p", from: 9_000, until: 2_000_000)
    let rounds = stride(from: 0, to: times.count, by: 2).map { times[$0] }
    let pauses = zip(rounds.dropFirst(), rounds).map { $0 - $1 }
    #expect(pauses.allSatisfy { $0 >= DialPlan.Limits.lostPause })
    #expect((55...62).contains(rounds.count))
    #expect((times.last ?? 0) < 9_000 + DialPlan.Limits.lostMemory)
    #expect(plan.knownTargets == [])
    #expect(plan.nextDeadline == nil)
  }

  @Test func lostTargetThatComesBackIsDialledAtOnce() {
    plan.found("p", addresses: [one], at: 0)
    plan.lost("p", at: 0)
    _ = failures(of: "p", from: 0, until: 30_000)
    plan.found("p", addresses: [one], at: 30_500)
    let times = failures(of: "p", from: 30_500, until: 40_000)
    #expect(times.first == 30_500)
    #expect(times.count >= 5)
  }

  @Test func lostTargetWithALinkIsKept() {
    plan.found("p", addresses: [one], at: 0)
    plan.linked("p", at: 0)
    plan.lost("p", at: 10)
    #expect(next(at: 5_000_000) == nil)
    #expect(plan.knownTargets == ["p"])
    plan.unlinked("p", at: 5_000_000)
    #expect(failures(of: "p", from: 5_000_000, until: 9_000_000).count >= 55)
    #expect(plan.knownTargets == [])
  }

  @Test func givenTargetIsTriedForEver() {
    plan.give("p", addresses: [one], at: 0)
    plan.found("p", addresses: [one], at: 0)
    plan.lost("p", at: 0)
    let day: UInt64 = 86_400_000
    let times = failures(of: "p", from: day, until: day + 10_000)
    #expect(times.count >= 5)
    plan.remove("p")
    #expect(next(at: 2 * day) == nil)
  }

  @Test func newAddressDoesNotWaitForThePause() {
    plan.found("p", addresses: [one], at: 0)
    let last = failures(of: "p", from: 0, until: 5_000).last ?? 0
    plan.found("p", addresses: [one, six], at: last + 10)
    #expect(next(at: last + 10) != nil)
  }

  @Test func targetWithoutAddressesWaits() {
    plan.give("p", addresses: [], at: 0)
    #expect(next(at: 0) == nil)
    #expect(plan.nextDeadline == nil)
    plan.give("p", addresses: [one], at: 50)
    #expect(next(at: 50)?.address == one)
    plan.give("p", addresses: [], at: 60)
    plan.dialFailed("p", at: 70)
    #expect(plan.nextDeadline == nil)
  }

  @Test func addressesThatShrinkInAMiddleOfARoundDoNotStall() {
    plan.found("p", addresses: [one, two], at: 0)
    #expect(next(at: 0)?.address == one)
    plan.dialFailed("p", at: 0)
    plan.found("p", addresses: [one], at: 0)
    #expect(next(at: 0)?.address == one)
  }

  @Test func callsAboutUnknownTargetsDoNothing() {
    plan.linked("x", at: 0)
    plan.unlinked("x", at: 0)
    plan.dialFailed("x", at: 0)
    plan.hold("x", until: 9)
    plan.lost("x", at: 0)
    plan.remove("x")
    #expect(plan.knownTargets == [])
    for number in 0..<2_000 { plan.give("p\(number)", addresses: [one], at: 0) }
    #expect(plan.knownTargets.count == DialPlan.Limits.targets)
  }
}
