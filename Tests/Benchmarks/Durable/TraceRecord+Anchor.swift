import Foundation
import Hyperbasis
import HyperbasisCore

extension HBAnchor {
  /// The anchor that a record makes.
  ///
  /// - Throws: `BenchmarkError` for a record that makes none.
  init(_ record: TraceRecord, in space: UUID) throws {
    guard case .create(let transform, let fields) = record.action else {
      throw BenchmarkError("the trace edits the anchor \(record.anchor) before it makes it")
    }
    self.init(
      id: UUID(record.anchor), spaceId: space, transform: simd_float4x4(transform),
      metadata: Dictionary(
        uniqueKeysWithValues: fields.map { ($0.key.text, AnyCodableValue($0.value)) }))
  }

  /// Edits it as a record says, as an app does.
  mutating func edit(_ record: TraceRecord) {
    switch record.action {
    case .create: break
    case .transform(let transform): update(transform: simd_float4x4(transform))
    case .metadata(let field):
      updateMetadata(key: field.key.text, value: AnyCodableValue(field.value))
    case .delete: markDeleted()
    }
  }
}

extension simd_float4x4 {
  fileprivate init(_ transform: Transform) {
    let numbers = transform.numbers
    self.init(
      (0..<4).map {
        SIMD4(numbers[4 * $0], numbers[4 * $0 + 1], numbers[4 * $0 + 2], numbers[4 * $0 + 3])
      })
  }
}

extension AnyCodableValue {
  fileprivate init(_ value: Value) {
    switch value {
    case .string(let text): self = .string(text)
    case .int(let number): self = .int(Int(number))
    default: preconditionFailure("a trace has texts and integers alone")
    }
  }
}

extension TraceRecord {
  /// A row of plain SQLite that holds the anchor: its id, its transform, and its keys with their values.
  var row: [UInt8] {
    guard case .create(let transform, let fields) = action else { return [] }
    return row(transform, fields)
  }

  /// The same with other numbers.
  func row(at transform: Transform) -> [UInt8] {
    guard case .create(_, let fields) = action else { return [] }
    return row(transform, fields)
  }

  private func row(_ transform: Transform, _ fields: [Field]) -> [UInt8] {
    var writer = ByteWriter()
    writer.identifier(anchor)
    writer.fixed(transform.elements)
    for field in fields {
      let value: [UInt8] =
        switch field.value {
        case .string(let text): Array(text.utf8)
        case .int(let number): withUnsafeBytes(of: number.littleEndian) { Array($0) }
        default: []
        }
      for part in [Array(field.key.text.utf8), value] {
        writer.fixed(UInt16(part.count))
        writer.raw(part)
      }
    }
    return writer.bytes
  }
}
