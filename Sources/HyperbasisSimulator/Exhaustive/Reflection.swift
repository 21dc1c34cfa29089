import HyperbasisCore
import HyperbasisSync

/// A value's whole content as bytes, private fields included: equal bytes, equal values.
///
/// Dictionaries and sets are written in the order of their members' bytes, so that no hashing shows.
/// What the codec can write is written by it, and of a space's state what a merge or a delta can see:
/// its vector, its last writes in the order of the log, its slots. Left out is what is the same in
/// all states: sizes, and all that has to do with world maps, of which small worlds have none; and
/// when an engine looked for frames last, which only saves looking again. Slow:
/// for the small states of exhaustive worlds.
struct Reflection {
  private var bytes: [UInt8] = []
  /// How values of a type are written.
  private var kinds: [ObjectIdentifier: Kind] = [
    ObjectIdentifier(UInt8.self): .byte, ObjectIdentifier(Bool.self): .bool,
    ObjectIdentifier(UInt16.self): .uint16, ObjectIdentifier(Int.self): .int,
    ObjectIdentifier(Int64.self): .int64, ObjectIdentifier(UInt64.self): .uint64,
    ObjectIdentifier(UInt128.self): .uint128, ObjectIdentifier(ReplicaID.self): .identifier,
    ObjectIdentifier(String.self): .string, ObjectIdentifier([UInt8].self): .bytes,
    ObjectIdentifier(VersionVector.self): .vector, ObjectIdentifier(Change.self): .change,
    ObjectIdentifier(Cell.self): .cell, ObjectIdentifier(SpaceState.self): .state,
    ObjectIdentifier(Hello.self): .hello, ObjectIdentifier(SpaceID.self): .space,
    ObjectIdentifier(DeviceID.self): .device, ObjectIdentifier(LinkID.self): .link,
    ObjectIdentifier(Digest.self): .digest,
  ]

  private enum Kind {
    case byte, bool, uint16, int, int64, uint64, uint128, identifier, string, bytes
    case space, device, link, digest, vector, change, cell, state, hello
    case sorted, children, omitted
  }

  mutating func digest(of value: Any) -> Digest {
    bytes.removeAll(keepingCapacity: true)
    write(value)
    return Digest(of: bytes)
  }

  private mutating func write(_ value: Any) {
    switch kind(of: value) {
    case .byte: bytes.append(value as! UInt8)
    case .bool: bytes.append(value as! Bool ? 1 : 0)
    case .uint16: write(integer: value as! UInt16)
    case .int: write(integer: value as! Int)
    case .int64: write(integer: value as! Int64)
    case .uint64: write(integer: value as! UInt64)
    case .uint128: write(integer: value as! UInt128)
    case .identifier: write(integer: (value as! ReplicaID).bits)
    case .space: write(integer: (value as! SpaceID).bits)
    case .device: write(integer: (value as! DeviceID).bits)
    case .link: write(integer: (value as! LinkID).raw)
    case .digest: write(integer: (value as! Digest).bits)
    case .string: write(Array((value as! String).utf8))
    case .bytes: write(value as! [UInt8])
    case .vector: encode { (value as! VersionVector).encode(into: &$0) }
    case .change: encode { (value as! Change).encode(into: &$0) }
    case .cell: encode { Cell.encode([value as! Cell], into: &$0) }
    case .state: write(value as! SpaceState)
    case .hello: write(Frame.hello(value as! Hello).encoded())
    case .omitted: break
    case .children: write(Mirror(reflecting: value), of: value)
    case .sorted: writeSorted(Mirror(reflecting: value))
    }
  }

  private mutating func kind(of value: Any) -> Kind {
    let type = ObjectIdentifier(type(of: value))
    if let kind = kinds[type] { return kind }
    let kind: Kind
    switch (Mirror(reflecting: value).displayStyle, "\(Swift.type(of: value))") {
    case (.dictionary, _), (.set, _): kind = .sorted
    case (_, "Tuning"), (_, "MapRoom"), (_, "BlobLane"), (_, "BlobDesk"), (_, "Stirs"), (_, "Rest"):
      kind = .omitted
    default: kind = .children
    }
    kinds[type] = kind
    return kind
  }

  private mutating func write(integer: some FixedWidthInteger) {
    withUnsafeBytes(of: integer.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// The length first: no text can be taken for what stands around it.
  private mutating func write(_ text: [UInt8]) {
    write(integer: text.count)
    bytes += text
  }

  private mutating func encode(_ body: (inout ByteWriter) -> Void) {
    var writer = ByteWriter()
    body(&writer)
    write(writer.bytes)
  }

  private mutating func write(_ state: SpaceState) {
    write(integer: state.id.bits)
    write(integer: state.lastTimestamp.bits)
    let delta = state.delta(since: VersionVector())
    encode { writer in
      state.vector.encode(into: &writer)
      Cell.encode(delta.cells, into: &writer)
    }
    for anchor in delta.cells.compactMap(\.operation.anchor) {
      write(integer: state.slotNumber(of: anchor) ?? -1)
    }
  }

  private mutating func write(_ mirror: Mirror, of value: Any) {
    let children = mirror.children
    write(integer: children.count)
    if children.isEmpty { return writeEmpty(value, mirror.displayStyle) }
    for child in children {
      // The case of an enum; the fields of a type are always the same.
      if mirror.displayStyle == .enum { write(Array((child.label ?? "").utf8)) }
      write(child.value)
    }
  }

  private mutating func writeSorted(_ mirror: Mirror) {
    var parts: [[UInt8]] = []
    let outside = bytes
    for child in mirror.children {
      bytes = []
      write(child.value)
      parts.append(bytes)
    }
    bytes = outside
    write(integer: parts.count)
    for part in parts.sorted(by: { $0.lexicographicallyPrecedes($1) }) { write(part) }
  }

  /// Precondition: the value is a case without payload, holds nothing, or is of no size: of anything
  /// else the content would not show.
  private mutating func writeEmpty(_ value: Any, _ style: Mirror.DisplayStyle?) {
    switch style {
    case .enum: write(Array("\(value)".utf8))
    case .optional, .collection, .dictionary, .set, .tuple: break
    default: precondition(Reflection.size(of: value) == 0, "\(type(of: value)) is not written out")
    }
  }

  private static func size<Value>(of value: Value) -> Int {
    MemoryLayout<Value>.size
  }
}
