import Foundation
import HyperbasisSimulator
import Synchronization
import Testing

/// Apps' models on simulated peers: wrong ones are caught and made small, right ones pass.
@Suite struct ModelTests {
  @Test func `a wrong counter is caught, and a few operations show it`() throws {
    let error = try #require(throws: SimulatedModelError.self) {
      try Simulation.check(Counter(), seeds: 1...10)
    }
    #expect(error.kind == .atEnd)
    #expect(error.text.contains("were counted, and the count is"))
    #expect((2...10).contains(error.operations.count), "\(error)")
    #expect(error.operations.allSatisfy { $0.hasSuffix(" ms: add") })
    #expect(error.description.contains("Counter() is wrong in the end, with seed "))
  }

  @Test func `the same seeds give the same report`() {
    let reports = (1...2).map { _ in
      #expect(throws: SimulatedModelError.self) {
        try Simulation.check(Counter(), seeds: 1...10)
      }
    }
    #expect(reports[0]?.description == reports[1]?.description)
  }

  @Test func `the replay line of a report breaks the same rule`() throws {
    let error = try #require(throws: SimulatedModelError.self) {
      try Simulation.check(Counter(), seeds: 1...10)
    }
    let line = try #require(
      error.description.split(separator: "\n").first { $0.contains("replaying: ") })
    let literal = try #require(line.split(separator: "\"").dropFirst().first)
    let text = literal.split(separator: "\\n").joined(separator: "\n")
    let again = try #require(throws: SimulatedModelError.self) {
      try Simulation.check(Counter(), replaying: text)
    }
    #expect(error.description.hasPrefix(again.description))
    #expect(again.plan == error.plan)
    let plan = try #require(error.plan)
    #expect(throws: SimulatedModelError.self) {
      try Simulation.check(Counter(), replaying: plan.text)
    }
    #expect(throws: SimulationCaseError.self) {
      try Simulation.check(Counter(), replaying: "no case")
    }
  }

  @Test func `right models pass`() throws {
    #expect(try Simulation.check(CounterOfEach(), seeds: 1...50) > 500)
    #expect(try Simulation.check(Tickets(), seeds: 1...10) > 100)
  }

  @Test func `what must hold at any time is asked while messages are under way`() throws {
    let error = try #require(throws: SimulatedModelError.self) {
      try Simulation.check(Seating(chairs: 4), seeds: 1...10)
    }
    #expect(error.kind == .atAnyTime && error.text == "two guests sit on one chair")
    #expect((2...10).contains(error.operations.count), "\(error)")
    #expect(error.description.contains("Seating(chairs: 4) is wrong at "))
    #expect(error.operations.allSatisfy { $0.contains("Seat(guest: ") })
  }

  /// A disk that is brought back from a copy has forgotten what others may know.
  @Test func `options say what goes wrong`() throws {
    var options = SimulationOptions()
    options.faults[.restore] = Ratio(1, in: 10)
    #expect(try Simulation.check(CounterOfEach(), seeds: 1...5, options: options) > 0)
  }

  @Test func `what cannot be saved is told with its key`() throws {
    let error = try #require(throws: SimulatedModelError.self) {
      try Simulation.check(Writer(value: .double(.nan)), seeds: 1...1)
    }
    #expect(error.kind == .unsavable && error.operations.count == 1)
    #expect(error.text == "anchor \"a\": metadata \"k\" holds a number that is not finite")
  }

  @Test func `a model that refuses everything shows nothing`() throws {
    let error = try #require(throws: SimulatedModelError.self) {
      try Simulation.check(Writer(value: nil), seeds: 1...2)
    }
    #expect(error.kind == .nothingDone && error.plan == nil)
  }

  @Test func `a model that is well when it is run again is not the same twice`() throws {
    let error = try #require(throws: SimulatedModelError.self) {
      try Simulation.check(Moody(), seeds: 1...1)
    }
    #expect(error.kind == .notTheSameTwice && error.plan == nil)
    #expect(
      error.description.contains(" was wrong with seed 1 and is not when it is run again: "))
    #expect(error.description.hasSuffix("no UUID(), Date(), Int.random, or state in a class"))
  }

  @Test func `a model that draws otherwise the next time is not the same twice`() throws {
    let error = try #require(throws: SimulatedModelError.self) {
      try Simulation.check(Forgetful(), seeds: 1...10)
    }
    #expect(error.kind == .notTheSameTwice, "\(error)")
    #expect(error.text.hasPrefix("drew Note(name: ") && error.text.contains(" the next time"))
  }

  /// Equal sets have their elements in any order.
  @Test func `operations that hold a set are the same twice`() throws {
    let error = try #require(throws: SimulatedModelError.self) {
      try Simulation.check(Labels(), seeds: 1...1)
    }
    #expect(error.kind == .atEnd && error.text == "no labels are good enough", "\(error)")
  }

  @Test func `a model with constants of its own is the one of the test in a replay`() throws {
    let error = try #require(throws: SimulatedModelError.self) {
      try Simulation.check(Seating(chairs: 4), seeds: 1...10)
    }
    let call = "Replay it (model: the one of your test): try Simulation.check(model, replaying: \""
    #expect(error.description.contains("\n\(call)seed "), "\(error)")
    #expect(error.description.contains("of the seed: try Simulation.check(model, seeds: "))
    let plain = try #require(throws: SimulatedModelError.self) {
      try Simulation.check(Counter(), seeds: 1...10)
    }
    #expect(
      plain.description.contains("\nReplay it: try Simulation.check(Counter(), replaying: \""))
  }

  @Test func `options are given as a text, and the report repeats it`() throws {
    let options = try SimulationOptions(text: "peers=3 clocks=frozen")
    let error = try #require(throws: SimulatedModelError.self) {
      try Simulation.check(Counter(), seeds: 1...10, options: options)
    }
    #expect(error.description.contains("options: SimulationOptions(text: \"peers=3 spaces=1 "))
  }

  @Test func `faults of a report say whom they meet`() throws {
    let text = """
      seed 1
      options peers=2 cut=0/1 crash=0/1 partition=0/1 clockStep=0/1 commitFailure=0/1
      operation 0a000000000000000000000000
      fault 300 restore 1 0
      """
    let error = try #require(throws: SimulatedModelError.self) {
      try Simulation.check(Labels(), replaying: text)
    }
    #expect(
      error.description.contains("\n  restore of peer 1 at 300 ms (an older copy of itself)\n"))
  }
}

// MARK: - Models

/// Reads, adds one and writes: of two devices that do so at once, one is not counted.
private struct Counter: SimulatedModel {
  enum Operation { case add }

  func draw(from random: inout RandomSource) -> Operation { .add }

  func perform(_ operation: Operation, on space: inout SimulatedSpace) {
    let count = space["counter"]?.metadata["count"]?.intValue ?? 0
    space["counter", default: .init()].metadata["count"] = .int(count + 1)
  }

  func fault(in space: SimulatedSpace) -> String? { nil }

  func faultAtEnd(in space: SimulatedSpace, after performed: [Operation]) -> String? {
    let count = space["counter"]?.metadata["count"]?.intValue ?? 0
    let isRight = count == performed.count
    return isRight ? nil : "\(performed.count) were counted, and the count is \(count)"
  }
}

/// Each store counts under its own key; the count is their sum.
private struct CounterOfEach: SimulatedModel {
  enum Operation { case add }

  func draw(from random: inout RandomSource) -> Operation { .add }

  func perform(_ operation: Operation, on space: inout SimulatedSpace) {
    let own = space["counter"]?.metadata[space.actorID]?.intValue ?? 0
    space["counter", default: .init()].metadata[space.actorID] = .int(own + 1)
  }

  func fault(in space: SimulatedSpace) -> String? { nil }

  func faultAtEnd(in space: SimulatedSpace, after performed: [Operation]) -> String? {
    let counts = space["counter"]?.metadata.compactMap { $0.value.intValue } ?? []
    let count = counts.reduce(0, +)
    let isRight = count == performed.count
    return isRight ? nil : "\(performed.count) were counted, and the count is \(count)"
  }
}

/// Anchors that are made, moved and deleted: one that was deleted stays so, unless it is made again.
private struct Tickets: SimulatedModel {
  enum Operation {
    case add(UInt64)
    case move(Int, Float)
    case delete(Int)
  }
  struct NoSuchTicket: Error {}

  func draw(from random: inout RandomSource) -> Operation {
    switch random.below(4) {
    case 0, 1: .add(random.next())
    case 2: .move(random.below(100), Float(random.below(10)))
    default: .delete(random.below(100))
    }
  }

  func perform(_ operation: Operation, on space: inout SimulatedSpace) throws {
    func name(_ number: Int) throws -> String {
      guard !space.anchors.isEmpty else { throw NoSuchTicket() }
      return space.anchors[number % space.anchors.count].name
    }
    switch operation {
    case .add(let number):
      space["ticket \(number)"] = SimulatedAnchor(metadata: [
        "number": "\(number)", "tags": [1, 2.5],
      ])
    case .move(let number, let x): try space[name(number)]?.position.x = x
    case .delete(let number): try space[name(number)] = nil
    }
  }

  func fault(in space: SimulatedSpace) -> String? {
    let isWhole = space.anchors.allSatisfy { name, anchor in
      anchor.metadata["number"]?.stringValue.map { "ticket \($0)" } == name
        && anchor.metadata["tags"] == [1, 2.5] && anchor.transform.count == 16
    }
    return isWhole ? nil : "a ticket is in pieces"
  }

  func faultAtEnd(in space: SimulatedSpace, after performed: [Operation]) -> String? {
    let added = performed.count { if case .add = $0 { true } else { false } }
    return space.anchors.count <= added ? nil : "there are tickets that nobody added"
  }
}

/// Looks whether a chair is free, and takes it.
private struct Seating: SimulatedModel {
  struct Seat { let guest, chair: Int }
  struct Taken: Error {}
  let chairs: Int

  func draw(from random: inout RandomSource) -> Seat {
    Seat(guest: random.below(chairs), chair: random.below(chairs))
  }

  func perform(_ seat: Seat, on space: inout SimulatedSpace) throws {
    guard !taken(in: space).contains(seat.chair) else { throw Taken() }
    space["guest \(seat.guest)", default: .init()].metadata["chair"] = .int(seat.chair)
  }

  func fault(in space: SimulatedSpace) -> String? {
    let taken = taken(in: space)
    return Set(taken).count < taken.count ? "two guests sit on one chair" : nil
  }

  func faultAtEnd(in space: SimulatedSpace, after performed: [Seat]) -> String? { nil }

  private func taken(in space: SimulatedSpace) -> [Int] {
    space.anchors.compactMap { $0.value.metadata["chair"]?.intValue }
  }
}

/// Writes one value under one key again and again.
private struct Writer: SimulatedModel {
  let value: SimulatedValue?

  func draw(from random: inout RandomSource) -> Int { 0 }
  func perform(_ operation: Int, on space: inout SimulatedSpace) {
    space["a"] = value.map { SimulatedAnchor(metadata: ["k": $0]) }
  }
  func fault(in space: SimulatedSpace) -> String? { nil }
  func faultAtEnd(in space: SimulatedSpace, after performed: [Int]) -> String? { nil }
}

/// Wrong when it is asked for the first time, and never again.
private struct Moody: SimulatedModel {
  final class Mood: Sendable {
    let isBad = Mutex(true)
  }
  let mood = Mood()

  func draw(from random: inout RandomSource) -> UInt64 { random.next() }
  func perform(_ operation: UInt64, on space: inout SimulatedSpace) {
    space["\(operation)"] = .init()
  }
  func fault(in space: SimulatedSpace) -> String? {
    let isBad = mood.isBad.withLock { isBad in
      defer { isBad = false }
      return isBad
    }
    return isBad ? "it was in a bad mood" : nil
  }
  func faultAtEnd(in space: SimulatedSpace, after performed: [UInt64]) -> String? { nil }
}

/// Names what it makes by chance of its own.
private struct Forgetful: SimulatedModel {
  struct Note { let name: String }

  func draw(from random: inout RandomSource) -> Note { Note(name: UUID().uuidString) }
  func perform(_ note: Note, on space: inout SimulatedSpace) { space[note.name] = .init() }
  func fault(in space: SimulatedSpace) -> String? { nil }
  func faultAtEnd(in space: SimulatedSpace, after performed: [Note]) -> String? {
    performed.allSatisfy { space[$0.name] != nil } ? nil : "a note is missing"
  }
}

/// Never right.
private struct Labels: SimulatedModel {
  struct Label { let words: Set<UInt64> }

  func draw(from random: inout RandomSource) -> Label {
    Label(words: Set((0..<8).map { _ in random.next() }))
  }
  func perform(_ label: Label, on space: inout SimulatedSpace) {
    space["label \(label.words.max() ?? 0)"] = .init()
  }
  func fault(in space: SimulatedSpace) -> String? { nil }
  func faultAtEnd(in space: SimulatedSpace, after performed: [Label]) -> String? {
    "no labels are good enough"
  }
}
