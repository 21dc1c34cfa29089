import Foundation
import HyperbasisNet
import Testing

@testable import Hyperbasis

/// A repair waits for the closure that is under way, and that may ask its storage.
@Suite(.timeLimit(.minutes(3))) struct RepairWithinTests {
  let directory = PeerDirectory()

  private enum Question: CaseIterable { case port, actor, identity, pending, changes, anchors }

  private func ask(_ question: Question, _ storage: HBStorage, _ space: UUID) throws {
    switch question {
    case .port: _ = storage.port
    case .actor: _ = try storage.actorId
    case .identity: _ = try storage.identityChange
    case .pending: _ = storage.pendingOperationCount
    case .changes: _ = storage.changes(spaceId: space)
    case .anchors: _ = storage.anchors(spaceId: space)
    }
  }

  @Test(arguments: Question.allCases)
  private func `a closure asks while a repair waits for it`(_ question: Question) async throws {
    let storage = lanStorage(directory, "\(question)")
    let anchor = HBAnchor(spaceId: UUID(), transform: at(0))
    try await storage.save(anchor)
    let (begun, ended) = (Locked(false), Locked<[String]>([]))
    // Not awaited: where they wait for each other, only this test fails.
    Task.detached {
      let updated = try? await storage.update(anchorId: anchor.id) { anchor in
        begun.withLock { $0 = true }
        Thread.sleep(forTimeInterval: 0.3)
        try ask(question, storage, anchor.spaceId)
        anchor.metadata["q"] = 1
      }
      ended.withLock { $0.append(updated == nil ? "update failed" : "update") }
    }
    #expect(try await eventually { begun.withLock { $0 } })
    Thread.detachNewThread {
      let report = try? storage.core.repair()
      ended.withLock { $0.append(report == nil ? "repair failed" : "repair") }
    }
    for _ in 0..<1_000 where ended.withLock({ $0.count }) < 2 {
      try await Task.sleep(for: .milliseconds(10))
    }
    try #require(ended.withLock { $0.sorted() } == ["repair", "update"])
    #expect(try await storage.loadAnchor(id: anchor.id)?.metadata["q"] == 1)
  }
}
