import Foundation

/// When services were first seen, by their names.
actor Sightings {
  private var seen: [String: ContinuousClock.Instant] = [:]
  private var waiting:
    [(accepts: @Sendable (String) -> Bool, CheckedContinuation<Sighting, Never>)] = []

  struct Sighting: Sendable {
    let name: String
    let time: ContinuousClock.Instant
  }

  func note(_ name: String, at time: ContinuousClock.Instant) {
    guard seen[name] == nil else { return }
    seen[name] = time
    let sighting = Sighting(name: name, time: time)
    for (accepts, continuation) in waiting where accepts(name) {
      continuation.resume(returning: sighting)
    }
    waiting.removeAll { $0.accepts(name) }
  }

  /// Waits for the first service with such a name.
  func first(where accepts: @escaping @Sendable (String) -> Bool) async -> Sighting {
    if let (name, time) = seen.first(where: { accepts($0.key) }) {
      return Sighting(name: name, time: time)
    }
    return await withCheckedContinuation { waiting.append((accepts, $0)) }
  }

  /// A browser that notes what it sees here.
  nonisolated func browse() throws -> BareService {
    try BareService.browse { name, time in
      Task { await self.note(name, at: time) }
    }
  }
}
