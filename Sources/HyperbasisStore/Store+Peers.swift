import HyperbasisCore

/// A peer that was met, and where.
package struct KnownPeer: Equatable, Sendable {
  package var replica: ReplicaID
  package var device: DeviceID
  package var name: String
  /// `HOST:PORT` at which it was reached, empty when it always dialled us.
  package var address: String
  /// Milliseconds since 1970 of the last meeting.
  package var met: Int64

  package init(
    replica: ReplicaID, device: DeviceID, name: String, address: String, met: Int64
  ) {
    self.replica = replica
    self.device = device
    self.name = name
    self.address = address
    self.met = met
  }
}

extension Store {
  /// The number of peers remembered; the one met longest ago makes room.
  static let knownPeersLimit = 256

  /// Remembers a peer; an empty address leaves the known one.
  package func remember(_ peer: KnownPeer) throws(StoreError) {
    var replica = ByteWriter()
    replica.identifier(peer.replica)
    var device = ByteWriter()
    device.identifier(peer.device)
    let put = try Statement(
      """
      INSERT INTO peers (replica, device, name, address, met) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (replica) DO UPDATE SET device = ?2, name = ?3, met = ?5,
        address = CASE WHEN length(?4) > 0 THEN ?4 ELSE address END
      """, in: database)
    put.bind(1, replica.bytes).bind(2, device.bytes).bind(3, Array(peer.name.utf8))
    put.bind(4, Array(peer.address.utf8)).bind(5, peer.met)
    try transaction { () throws(StoreError) in
      try put.run()
      try database.execute(
        """
        DELETE FROM peers WHERE replica NOT IN
          (SELECT replica FROM peers ORDER BY met DESC LIMIT \(Store.knownPeersLimit))
        """)
    }
  }

  /// The peers met, the latest first; rows that are damaged are left out.
  package func knownPeers() throws(StoreError) -> [KnownPeer] {
    let statement = try Statement(
      "SELECT replica, device, name, address, met FROM peers ORDER BY met DESC, replica",
      in: database)
    var peers: [KnownPeer] = []
    while try statement.step() {
      var replica = ByteReader(statement.bytes(0))
      var device = ByteReader(statement.bytes(1))
      // A row that is damaged counts as missing.
      guard statement.bytes(0).count == 16, statement.bytes(1).count == 16,
        let replica: ReplicaID = try? replica.identifier(),
        let device: DeviceID = try? device.identifier()
      else { continue }
      peers.append(
        KnownPeer(
          replica: replica, device: device,
          name: String(decoding: statement.bytes(2), as: UTF8.self),
          address: String(decoding: statement.bytes(3), as: UTF8.self), met: statement.integer(4)))
    }
    return peers
  }
}
