import HyperbasisCore
import HyperbasisSync

/// World maps: the winner is whole everywhere in the end, and what is said to be whole always is.
enum MapChecker {
  /// What is wrong at any moment.
  static func fault(in disk: MapDisk) -> String? {
    for (space, map) in zip(disk.wholes.keys, disk.wholes.values) where disk.bytes(of: map) == nil {
      return "the last whole map of \(space) cannot be opened"
    }
    return nil
  }

  /// What is wrong with what is told of a space's map: a peer has what is on its disk, and no more.
  static func fault(of space: SpaceID, at node: Node) -> String? {
    guard let progress = node.ask({ $0.mapProgress(of: space) }) else { return nil }
    let chunks = node.maps.manifest(progress.reference)?.chunks ?? []
    let bytes = chunks.reduce(0) { $0 + (node.maps.blob($1)?.count ?? 0) }
    guard progress.verifiedBytes > bytes else { return nil }
    return "\(progress.verifiedBytes) B of the map of \(space) are told, \(bytes) B are on the disk"
  }

  /// What is wrong with which maps are fetched.
  static func fault(in engine: Engine) -> String? {
    let rooms = engine.rooms
    for index in rooms.indices {
      let record = rooms[at: index].state.record
      let target = record.existence?.deleted == nil ? record.map : nil
      if engine.mapProgress(of: rooms.keys[index])?.reference != target {
        return "another map is fetched than \(rooms.keys[index]) has"
      }
    }
    return nil
  }

  /// What is wrong in the end.
  static func fault(in nodes: [Node], _ model: Model) -> String? {
    for state in nodes[0].states {
      let progress = nodes.map { $0.ask { $0.mapProgress(of: state.id) } }
      guard let target = progress[0]?.reference else { continue }
      let whole = progress.count { $0?.isWhole == true }
      let mayBeLost = model.hasLosses || wasDeleted(state.id, model)
      let holders = holders(of: target, nodes)
      if whole == 0 && mayBeLost && isPartlyLost(holders, nodes) { continue }
      guard whole == nodes.count else {
        return "\(whole) of \(nodes.count) peers have the map of \(state.id) whole; "
          + "its manifest and its chunks are held by \(holders)"
      }
      let right = SimulatedMap.number(of: target).map(SimulatedMap.bytes)
      for node in nodes where node.maps.bytes(of: target) != right {
        return "peer \(node.number) has another map of \(state.id)"
      }
    }
    return nil
  }

  /// How many disks have the manifest of a map, and each of its chunks as far as that tells them.
  private static func holders(of map: MapReference, _ nodes: [Node]) -> [Int] {
    let manifest = nodes.lazy.compactMap { $0.maps.manifest(map) }.first
    return ([map.manifest] + (manifest?.chunks ?? [])).map { hash in
      nodes.count { $0.maps.blob(hash) != nil }
    }
  }

  /// Whether no disk has some part of a map any more, and every disk has the rest.
  private static func isPartlyLost(_ holders: [Int], _ nodes: [Node]) -> Bool {
    holders.contains(0) && holders.allSatisfy { $0 == 0 || $0 == nodes.count }
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
