import HyperbasisCore

/// Makes simulated spaces of the engine's states, and the engine's operations of what was changed in
/// them.
final class SpaceEditor {
  /// What a model cannot save, as `HBStorage.save` would say.
  struct Unsavable: Error {
    let text: String
  }

  /// The names that were used so far. The ids are made of them, so which run used one first is of no
  /// effect.
  private var names: [AnchorID: Key] = [:]

  /// What a device shows.
  func space(_ state: SpaceState, of replica: ReplicaID, wall: UInt64) -> SimulatedSpace {
    SimulatedSpace(
      actorID: "\(replica)", clockMilliseconds: Int(wall),
      anchors: state.unorderedAnchors(includingDeleted: false).map { anchor in
        guard let name = names[anchor.id] else { preconditionFailure("made under a name") }
        return (name, SimulatedAnchor(anchor))
      })
  }

  /// The writes that make `after` of `before`, which is what `state` shows; each register once.
  func operations(
    from before: SimulatedSpace, to after: SimulatedSpace, on state: SpaceState
  ) throws(Unsavable) -> [Operation] {
    let now = Int64(after.clockMilliseconds) * 1_000_000
    var operations: [Operation] = []
    for (name, anchor) in after.anchors where before[name] != anchor {
      operations += try writes(of: anchor, named: Key(name), on: state, now: now)
    }
    for (name, _) in before.anchors where after[name] == nil {
      let id = id(of: Key(name))
      let created = state.anchor(id)?.created ?? now
      operations.append(.existence(id, Existence(created: created, deleted: now)))
    }
    return operations
  }

  private func writes(
    of anchor: SimulatedAnchor, named name: Key, on state: SpaceState, now: Int64
  ) throws(Unsavable) -> [Operation] {
    let id = id(of: name)
    let old = state.anchor(id)
    var operations: [Operation] = []
    if old == nil { operations.append(.existence(id, Existence(created: now))) }
    if let old, old.deleted != nil {
      operations.append(.existence(id, Existence(created: old.created, restored: now)))
    }
    let transform: Transform
    do { transform = try Transform(anchor.transform) } catch {
      throw Unsavable(text: "anchor \(name.shown): \(error)")
    }
    if transform != old?.transform { operations.append(.transform(id, transform)) }
    // Before anything is made of them that calls itself for each level.
    for entry in anchor.metadata.entries where entry.value.isTooDeep {
      throw Unsavable(text: "anchor \(name.shown): \(ValueError.tooDeep(entry.key))")
    }
    let new = anchor.metadata.engineObject
    let known = old?.metadata ?? Value.Object()
    for entry in new.entries where known[entry.key] != entry.value {
      do { try Value.check(entry.value, for: entry.key) } catch {
        throw Unsavable(text: "anchor \(name.shown): \(error)")
      }
      operations.append(.metadata(id, entry.key, entry.value))
    }
    for entry in known.entries where new[entry.key] == nil {
      operations.append(.metadata(id, entry.key, nil))
    }
    return operations
  }

  private func id(of name: Key) -> AnchorID {
    let bytes = Array(name.text.utf8)
    var (high, low) = (TraceHash(), TraceHash())
    high.add(bytes)
    low.add(0)
    low.add(bytes)
    let id = AnchorID(UInt128(high.value) << 64 | UInt128(low.value))
    let known = names.updateValue(name, forKey: id)
    precondition(known == nil || known == name, "two names have one id")
    return id
  }
}

extension SimulatedAnchor {
  fileprivate init(_ anchor: Anchor) {
    self.init(transform: anchor.transform.numbers, metadata: SimulatedMetadata(anchor.metadata))
  }
}
