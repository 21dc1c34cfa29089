/// Every limit of the engine, with its unit.
///
/// A hostile peer or a mistaken caller meets one of these by name. The relations between them are
/// asserted by `LimitsTests`.
package enum Limits {
  /// Bytes of UTF-8 in a metadata key. An empty key is allowed.
  package static let keyBytes = 1_024

  /// Bytes of one encoded metadata value, nested values included.
  package static let valueBytes = 1_048_576

  /// Levels of arrays and objects in one value; a scalar has depth 0.
  package static let valueDepth = 32

  /// Bytes of UTF-8 in a space name.
  package static let nameBytes = 1_024

  /// Bytes of one encoded change.
  package static let changeBytes = 4_194_304

  /// Operations in one change.
  package static let changeOperations = 65_536

  /// The highest sequence number of a replica, inclusive.
  package static let sequence = 1 << 48

  /// Replicas in one version vector.
  package static let replicas = 4_096

  /// Bytes at which a batch of a delta is closed. One register may exceed it.
  package static let batchBytes = 65_536

  /// Bytes of one frame's payload on the wire.
  package static let frameBytes = 8_388_608

  /// Milliseconds that a received timestamp may be ahead of the local clock.
  package static let clockAheadMilliseconds: UInt64 = 300_000
}
