import HyperbasisCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// Who a store is: its device, and the replica under which it writes.
struct Identity {
  let device: DeviceID
  var replica: ReplicaID
  /// Why the replica id was taken just now, in place of another.
  var breach: IdentityBreach?
}

/// How a store came to its present replica id, where it had another one before.
package struct IdentityChange: Equatable, Sendable {
  package let previous: ReplicaID
  package let reason: IdentityBreach
  /// Milliseconds since 1970.
  package let date: UInt64
}

extension Store {
  /// The ids of this store: made on its first opening, and a new replica id when it cannot prove that
  /// it is the sole continuation of what it holds.
  static func identity(
    _ database: Database, directory: String, continuation: inout Continuation?, isLogDamaged: Bool
  ) throws(StoreError) -> Identity {
    try continuation?.prepare()
    guard var identity = try readIdentity(database, directory: directory) else {
      let new = Identity(
        device: DeviceID(.random(in: 1 ... .max)), replica: ReplicaID(.random(in: 1 ... .max)))
      try setIdentity(new, in: database)
      try continuation?.begin()
      return new
    }
    if let breach = continuation?.breach ?? (isLogDamaged ? .logDamaged : nil) {
      identity.breach = breach
      try takeNewReplica(&identity, for: breach, in: database)
    }
    // Only now: until then the next opening must find the breach as well.
    try continuation?.begin()
    if try isPending(in: database) {
      try database.execute("DELETE FROM meta WHERE key = 'pending'")
    }
    return identity
  }

  /// Takes another replica id and notes the one before, in one transaction. One that an opening took which was killed then
  /// is nobody's: who it was before that stays noted. It is not taken again, as the directory may have been copied since.
  private static func takeNewReplica(
    _ identity: inout Identity, for breach: IdentityBreach, in database: Database
  ) throws(StoreError) {
    let previous = identity.replica
    identity.replica = ReplicaID(.random(in: 1 ... .max))
    try database.execute("BEGIN IMMEDIATE")
    do {
      try setIdentity(identity, in: database)
      if try !isPending(in: database) { try note(breach, of: previous, in: database) }
      try database.execute(
        "INSERT OR REPLACE INTO meta (key, value) VALUES ('pending', x''); COMMIT")
    } catch {
      try? database.execute("ROLLBACK")
      throw error
    }
  }

  /// Whether a replica id was taken by an opening that did not come to its end: nobody wrote under it.
  private static func isPending(in database: Database) throws(StoreError) -> Bool {
    try database.integer("SELECT count(*) FROM meta WHERE key = 'pending'") > 0
  }

  private static func readIdentity(
    _ database: Database, directory: String
  ) throws(StoreError) -> Identity? {
    let select = try Statement("SELECT value FROM meta WHERE key = 'identity'", in: database)
    guard try select.step() else { return nil }
    defer { select.reset() }
    var reader = ByteReader(select.bytes(0))
    do {
      let identity = Identity(device: try reader.identifier(), replica: try reader.identifier())
      try reader.finish()
      return identity
    } catch {
      throw .damaged(path: directory, what: "its identity: \(error)")
    }
  }

  static func setIdentity(_ identity: Identity, in database: Database) throws(StoreError) {
    var writer = ByteWriter()
    writer.identifier(identity.device)
    writer.identifier(identity.replica)
    let put = try Statement(
      "INSERT OR REPLACE INTO meta (key, value) VALUES ('identity', ?1)", in: database)
    try put.bind(1, writer.bytes).run()
  }

  /// Notes for people why there is another replica id than before.
  static func note(
    _ reason: IdentityBreach, of previous: ReplicaID, in database: Database
  ) throws(StoreError) {
    var writer = ByteWriter()
    writer.identifier(previous)
    writer.byte(reason.rawValue)
    writer.fixed(wallMilliseconds())
    let put = try Statement(
      "INSERT OR REPLACE INTO meta (key, value) VALUES ('identityChange', ?1)", in: database)
    try put.bind(1, writer.bytes).run()
  }

  /// The last time that the store took a new replica id; nil when it has its first one.
  package func identityChange() throws(StoreError) -> IdentityChange? {
    let select = try Statement("SELECT value FROM meta WHERE key = 'identityChange'", in: database)
    guard try select.step() else { return nil }
    defer { select.reset() }
    var reader = ByteReader(select.bytes(0))
    guard let previous: ReplicaID = try? reader.identifier(), let kind = try? reader.byte(),
      let date = try? reader.fixed(UInt64.self), let reason = IdentityBreach(rawValue: kind)
    else { return nil }
    return IdentityChange(previous: previous, reason: reason, date: date)
  }

  private static func wallMilliseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(max(0, time.tv_sec)) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
  }
}
