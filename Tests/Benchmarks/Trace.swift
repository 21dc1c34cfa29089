import Foundation
import HyperbasisCore

/// One record of a trace: what a user does in one transaction.
struct TraceRecord {
  enum Action {
    case create(Transform, [Field])
    case transform(Transform)
    case metadata(Field)
    case delete
  }

  struct Field {
    let key: Key
    let value: Value
  }

  /// Which of the replicas of the workload does it.
  let replica: UInt8
  let anchor: AnchorID
  let action: Action
}

/// The records of one file of the form ARTRACE1, read one by one as they are asked for.
///
/// The numbers are little-endian and packed: a header of 24 bytes (`ARTRACE1`, version, count, seed), then for each
/// record its code, the replica, the anchor's UUID and what the code asks for.
struct Trace {
  /// The records that are still to come.
  private(set) var remaining: Int
  private var reader: ByteReader

  private static let magic = Array("ARTRACE1".utf8)

  /// - Throws: `BenchmarkError` for a file that cannot be read or is none.
  init(_ name: String, in directory: String) throws {
    let path = directory + "/\(name).bin"
    guard let data = FileManager.default.contents(atPath: path) else {
      throw BenchmarkError("\(path) cannot be read: make the traces as TRACE.md says")
    }
    reader = ByteReader([UInt8](data))
    guard try reader.raw(Trace.magic.count).elementsEqual(Trace.magic),
      try reader.fixed(UInt32.self) == 1
    else { throw BenchmarkError("\(path) is no trace of the form ARTRACE1, version 1") }
    remaining = Int(try reader.fixed(UInt32.self))
    _ = try reader.fixed(UInt64.self)
  }

  /// All records of a file, or the first of them.
  static func records(
    _ name: String, in directory: String, most: Int = .max
  ) throws -> [TraceRecord] {
    var trace = try Trace(name, in: directory)
    var records: [TraceRecord] = []
    records.reserveCapacity(min(most, trace.remaining))
    while records.count < most, let record = try trace.next() { records.append(record) }
    return records
  }

  /// The next record; nil after the last.
  mutating func next() throws -> TraceRecord? {
    guard remaining > 0 else {
      try reader.finish()
      return nil
    }
    remaining -= 1
    let code = try reader.byte()
    let replica = try reader.byte()
    let anchor: AnchorID = try reader.identifier()
    return TraceRecord(replica: replica, anchor: anchor, action: try action(code))
  }

  private mutating func action(_ code: UInt8) throws -> TraceRecord.Action {
    switch code {
    case 1:
      let transform = try transform()
      let count = try reader.byte()
      return .create(transform, try (0..<count).map { _ in try field() })
    case 2: return .transform(try transform())
    case 3: return .metadata(try field())
    case 4: return .delete
    default: throw BenchmarkError("the trace has a record of the unknown code \(code)")
    }
  }

  private mutating func transform() throws -> Transform {
    try Transform((0..<16).map { _ in Float(bitPattern: try reader.fixed(UInt32.self)) })
  }

  private mutating func field() throws -> TraceRecord.Field {
    let key = try text(Int(try reader.byte()))
    let value: Value
    switch try reader.byte() {
    case 1: value = .string(try text(Int(try reader.fixed(UInt16.self))))
    case 2: value = .int(try reader.fixed(Int64.self))
    case let tag: throw BenchmarkError("the trace has a value of the unknown tag \(tag)")
    }
    return TraceRecord.Field(key: Key(key), value: value)
  }

  private mutating func text(_ count: Int) throws -> String {
    String(decoding: try reader.raw(count), as: UTF8.self)
  }
}

/// Why a benchmark cannot go on.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
