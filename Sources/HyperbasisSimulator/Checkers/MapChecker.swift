import HyperbasisCore

/// World maps: the winner is whole everywhere in the end, and what is said to be whole always is.
enum MapChecker {
  /// What is wrong at any moment.
  static func fault(in disk: MapDisk) -> String? {
    for (space, map) in zip(disk.wholes.keys, disk.wholes.values) where disk.bytes(of: map) == nil {
      return "the last whole map of \(space) cannot be opened"
    }
    return nil
  }

  /// What is wrong in the end.
  static func fault(in nodes: [Node], _ model: Model) -> String? {
    for state in nodes[0].states {
      let progress = nodes.map { $0.engine.mapProgress(of: state.id) }
      guard let target = progress[0]?.reference else { continue }
      let whole = progress.count { $0?.isWhole == true }
      if whole == 0 && (model.hasLosses || wasDeleted(state.id, model)) { continue }
      guard whole == nodes.count else {
        return "\(whole) of \(nodes.count) peers have the map of \(state.id) whole"
      }
      let right = SimulatedMap.number(of: target).map(SimulatedMap.bytes)
      for node in nodes where node.maps.bytes(of: target) != right {
        return "peer \(node.number) has another map of \(state.id)"
      }
    }
    return nil
  }

  /// The chunks of a deleted space are dropped everywhere, so its map may be lost for ever.
  private static func wasDeleted(_ space: SpaceID, _ model: Model) -> Bool {
    model.entries.contains { entry in
      entry.space == space
        && entry.change.operations.contains {
          if case .spaceExistence(let existence) = $0 { existence.deleted != nil } else { false }
        }
    }
  }
}
