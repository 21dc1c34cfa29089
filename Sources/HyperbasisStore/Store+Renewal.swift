import HyperbasisCore

extension Store {
  /// Goes on as a new replica, which writes anew what has stamps beyond `bound`: no peer takes that.
  ///
  /// ```swift
  /// try store.renew(beyond: bound, at: now)
  /// let spaces = store.loadReadable().spaces  // the same is shown
  /// ```
  ///
  /// Damaged spaces stay as they are. O(spaces with such stamps, with their histories).
  ///
  /// `Docs/Decisions/0009-what-no-peer-takes-is-written-anew.md` says when and why.
  ///
  /// - Returns: how many changes were written anew.
  /// - Throws: `StoreError`; the store is then as it was.
  @discardableResult
  package func renew(beyond bound: Timestamp, at now: Timestamp) throws(StoreError) -> Int {
    let next = ReplicaID(.random(in: 1 ... .max))
    var renewals: [Renewal] = []
    for space in loadAgain().spaces where space.state.lastTimestamp > bound {
      if let renewal = try renewal(of: space, as: next, beyond: bound, at: now) {
        renewals.append(renewal)
      }
    }
    let previous = replica
    try transaction { () throws(StoreError) in
      for renewal in renewals { try write(renewal) }
      try Store.setIdentity(Identity(device: device, replica: next), in: database)
      try Store.note(.clockWasWrong, of: previous, in: database)
    }
    begin(as: next)
    return renewals.reduce(0) { $0 + $1.changes.count }
  }

  private func renewal(
    of space: StoredSpace, as replica: ReplicaID, beyond bound: Timestamp, at now: Timestamp
  ) throws(StoreError) -> Renewal? {
    guard let row = try spaces.row(of: space.state.id) else { return nil }
    let changes = try history.all(ofSpace: row)
    do {
      return try space.renewed(as: replica, beyond: bound, changes: changes, at: now)
    } catch {
      throw .damagedSpace(path: directory, space: space.state.id, what: "\(error)")
    }
  }

  private func write(_ renewal: Renewal) throws(StoreError) {
    let space = renewal.space
    let writes = space.state.allWrites(
      history: space.history, changes: renewal.changes, cut: space.cut)
    let swept = (spaces.known[space.state.id]?.swept ?? VersionVector()).least(space.cut)
    let number = try spaces.write(writes, sweptTo: swept)
    try history.drop(ofSpace: number, beyond: renewal.kept)
    try history.write(writes.changes, ofSpace: number)
    // They may tell of changes that were written anew.
    try write([], ofSpace: number)
  }
}
