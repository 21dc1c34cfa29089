/// Every limit of this module, with its unit.
package enum NetLimits {
  /// Bytes of unsent data below which a link that was above it is reported as drained.
  package static let lowWaterBytes = 65_536

  /// Bytes that the system takes from a link ahead of what it has sent.
  package static let unsentBytes: Int32 = 65_536

  /// Bytes read from one link in one turn, so that one busy peer cannot starve the others.
  package static let readBytesPerTurn = 262_144

  /// Bytes of one read from a socket.
  package static let readChunkBytes = 65_536

  /// Connections accepted from one listening socket in one turn.
  package static let acceptsPerTurn = 64

  /// Links open, opening or closing at one time; further callers are turned away.
  package static let links = 1_024

  /// Dials under way at one time.
  package static let dials = 128

  /// Milliseconds that a listening socket rests when the process is out of descriptors.
  package static let acceptPauseMilliseconds: UInt64 = 100

  /// Milliseconds that an accepted link may take until its ``Link`` says that it is open.
  package static let openMilliseconds: UInt64 = 10_000

  /// Milliseconds that a link may take to flush and to see the other side's end after a close.
  package static let flushMilliseconds: UInt64 = 1_000

  /// Host names waiting to be resolved.
  package static let pendingNames = 64

  /// Bytes of a host name.
  package static let hostNameBytes = 253

  /// Bytes of one string of a TXT record, its length byte left out.
  package static let txtStringBytes = 255

  /// Bytes of a TXT record that is built here.
  package static let txtBytes = 1_300

  /// Strings of a foreign TXT record that are read; the rest is ignored.
  package static let txtStrings = 64

  /// Bytes of UTF-8 in a service instance name (one DNS label).
  package static let instanceNameBytes = 63

  /// Names tried for an advertisement whose name other processes of this machine have.
  package static let renames = 64

  /// Service instances tracked at one time; further ones are ignored until others are lost.
  package static let services = 256

  /// Addresses kept for one service or one dial target.
  package static let addresses = 16

  /// Service instances being resolved at one time. Each costs a thread and a connection to the
  /// message bus, which allows a user 256, and whose load grows with the square of their number.
  package static let resolves = 3

  /// Hosts being asked for their addresses at one time. Each costs as much as two resolves.
  package static let hostQueries = 4

  /// Milliseconds until a resolve or a query without an answer is given up.
  package static let lookupMilliseconds: UInt64 = 5_000

  /// Milliseconds that a query waits for more addresses after the latest one, when both families
  /// answered.
  package static let lookupSettleMilliseconds: UInt64 = 200

  /// The same when one family has not answered.
  package static let lookupOtherFamilyMilliseconds: UInt64 = 600

  /// Milliseconds for which a host's addresses are used again for another service; less than
  /// ``lookupRetryMilliseconds``, so that a second lookup is a fresh one.
  package static let lookupReuseMilliseconds: UInt64 = 900

  /// Milliseconds after which a known service is looked up again.
  package static let lookupAgainMilliseconds: UInt64 = 60_000

  /// Milliseconds until a failed lookup is tried again the first time; doubles up to
  /// ``lookupAgainMilliseconds``.
  package static let lookupRetryMilliseconds: UInt64 = 1_000

  /// Milliseconds between two attempts to reach the discovery daemon.
  package static let daemonRetryMilliseconds: UInt64 = 2_000

  /// Milliseconds that known services have to be seen again after the daemon came back.
  package static let staleMilliseconds: UInt64 = 5_000

  /// Milliseconds that stopping discovery waits for a daemon that does not answer.
  package static let discoveryStopMilliseconds: UInt64 = 2_000
}
