import HyperbasisCore

extension Store {
  /// A new store of what can be read of a damaged one, of the same device where that is known, in a
  /// database that has all tables and no rows.
  ///
  /// Where the two databases lie, and what becomes of the old one, is the caller's matter. O(store).
  ///
  /// - Throws: `StoreError`; what was written of the new store is then worth nothing.
  static func rebuilt(
    from salvage: inout Salvage, in database: Database, as replica: ReplicaID
  ) throws(StoreError) -> (store: Store, report: RepairReport) {
    let old = salvage.identity
    let device = old?.device ?? DeviceID(.random(in: 1 ... .max))
    try setIdentity(Identity(device: device, replica: replica), in: database)
    if let old { try note(.repaired, of: old.replica, in: database) }
    // The lock is the whole directory's, and what proves a continuation is written in its place.
    let new = try Store(prepared: database, directory: database.path, lock: nil, boot: nil)
    var report = RepairReport()
    for remains in salvage.spaces() { try new.add(remains, &report) }
    try new.copyRows(from: &salvage)
    _ = try new.load()
    report.problems = salvage.problems
    return (new, report)
  }

  private func add(_ remains: SpaceRemains, _ report: inout RepairReport) throws(StoreError) {
    let space = SpaceRebuild(remains, as: replica)
    try commit([
      space.state.allWrites(history: space.history, changes: space.changes, cut: space.cut)
    ])
    report.rewritten += space.rewritten
    switch space.outcome {
    case .intact: report.intact.append(remains.id)
    case .historyCut: report.historyCut.append(remains.id)
    case .rebuilt: report.rebuilt.append(remains.id)
    }
  }

  /// Rows that are taken as they are.
  private func copyRows(from salvage: inout Salvage) throws(StoreError) {
    let settings = Setting.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    try salvage.copy(
      "meta", columns: ["key", "value"], by: "key", where: "key IN (\(settings))", to: self)
    try salvage.copy(
      "peers", columns: ["replica", "device", "name", "address", "met"], by: "replica", to: self)
    try salvage.copy("maps", columns: ["hash", "manifest"], by: "hash", to: self)
    try salvage.copy("whole_maps", columns: ["space", "map", "size"], by: "space", to: self)
    try salvage.copyChunks(to: self)
  }
}

// MARK: In memory

extension Store {
  /// As ``repair(directory:at:)`` of the bytes of a database file, which need not be sound.
  ///
  /// The store `empty` is in memory, without any rows; it is then used no more, and what is returned is in
  /// its place.
  ///
  /// - Throws: `StoreError`, as for a directory with that file.
  package static func repair(
    file: [UInt8], into empty: Store, as replica: ReplicaID
  ) throws(StoreError) -> (store: Store, report: RepairReport) {
    var salvage = try Salvage(DamagedBytes(bytes: file, directory: empty.directory))
    return try rebuilt(from: &salvage, in: empty.database, as: replica)
  }

  /// As ``repair(file:into:as:)`` of a store in memory, whose first page is sound.
  package static func repair(
    _ damaged: Store, into empty: Store, as replica: ReplicaID
  ) throws(StoreError) -> (store: Store, report: RepairReport) {
    precondition(
      damaged.lock == nil && empty.lock == nil, "a store on a disk is repaired by its directory")
    var salvage = try Salvage(damaged.database)
    return try rebuilt(from: &salvage, in: empty.database, as: replica)
  }
}
