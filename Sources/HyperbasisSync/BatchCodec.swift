import HyperbasisCore

/// Writes the batches of one direction of a link: of a catch-up each name is sent once.
///
/// ```swift
/// var encoder = BatchEncoder()
/// encoder.encode(batch, into: &writer)  // the names that the batches before it had are not in it
/// ```
struct BatchEncoder: Sendable {
  /// Of the catch-ups under way.
  private var names = SortedMap<SpaceID, CellNames>()
  private var bytes = 0

  mutating func encode(_ batch: Batch, into writer: inout ByteWriter) {
    if bytes > Limits.catchUpNameBytes { (names, bytes) = (SortedMap(), 0) }
    // Taken out of the map, so that no copy of them is left while they are added to.
    let known = names[batch.space].take()
    bytes -= known?.byteCount ?? 0
    let isFirst = batch.base != nil || known == nil
    let flags = BatchFlags(hasBase: batch.base != nil, isFirst: isFirst)
    writer.identifier(batch.space)
    writer.byte(flags.rawValue)
    batch.base?.encode(into: &writer)
    batch.covers.encode(into: &writer)
    batch.horizon.encode(into: &writer)
    var all = isFirst ? CellNames() : (consume known)!
    batch.cells.encode(into: &writer, names: &all)
    if batch.covers.covers(batch.horizon) { return }
    bytes += all.byteCount
    names[batch.space] = all
  }
}

/// Reads what a ``BatchEncoder`` writes.
struct BatchDecoder: Sendable {
  private var names = SortedMap<SpaceID, CellNames>()
  private var bytes = 0

  /// - Throws: `CodecError` for malformed bytes, and for names of more bytes than those of catch-ups may have.
  mutating func decode(from reader: inout ByteReader) throws(CodecError) -> Batch {
    let space: SpaceID = try reader.identifier()
    let start = reader.offset
    guard let flags = BatchFlags(rawValue: try reader.byte()) else {
      throw .invalid("batch flags", offset: start)
    }
    let base = flags.hasBase ? try VersionVector(from: &reader) : nil
    let covers = try VersionVector(from: &reader)
    let horizon = try VersionVector(from: &reader)
    let known = names[space].take()
    bytes -= known?.byteCount ?? 0
    var all = CellNames()
    if !flags.isFirst {
      guard let known = consume known else {
        throw .invalid("batch: it goes on with none", offset: start)
      }
      all = known
    }
    let cells = try BatchCells(from: &reader, names: &all)
    if !covers.covers(horizon) {
      bytes += all.byteCount
      // Who sends has left its names before, unless it is no peer of ours.
      guard bytes <= 4 * Limits.catchUpNameBytes else {
        throw .limit(
          "bytes of names", value: UInt64(bytes), most: 4 * Limits.catchUpNameBytes,
          offset: start)
      }
      names[space] = all
    }
    return Batch(space: space, base: base, covers: covers, horizon: horizon, cells: cells)
  }
}

/// What a batch has, and whether its names go on with those of the one before it.
private struct BatchFlags {
  let hasBase: Bool
  let isFirst: Bool

  init(hasBase: Bool, isFirst: Bool) {
    self.hasBase = hasBase
    self.isFirst = isFirst
  }

  init?(rawValue: UInt8) {
    guard rawValue < 4 else { return nil }
    self.init(hasBase: rawValue & 1 != 0, isFirst: rawValue & 2 != 0)
  }

  var rawValue: UInt8 { (hasBase ? 1 : 0) | (isFirst ? 2 : 0) }
}
