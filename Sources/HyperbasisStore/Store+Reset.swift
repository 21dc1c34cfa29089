import HyperbasisCore

extension Store {
  /// Empties the store: no space, no peer, and a new replica id, since sequences are used once. The
  /// device stays who it is.
  ///
  /// - Throws: `StoreError`; the store is then as it was.
  package func reset() throws(StoreError) {
    let names = try Statement(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
      in: database)
    var tables: [String] = []
    while try names.step() { tables.append(String(decoding: names.bytes(0), as: UTF8.self)) }
    let replica = ReplicaID(.random(in: 1 ... .max))
    try transaction { () throws(StoreError) in
      for table in tables { try database.execute("DELETE FROM \(table)") }
      try Store.setIdentity(Identity(device: device, replica: replica), in: database)
    }
    begin(as: replica)
    history.numbers = [:]
    try continuation?.begin()
    tellLog()
    // Gives the room back; what fails here is tried again by the next reset.
    try? database.execute("VACUUM")
    shortenLog()
  }
}
