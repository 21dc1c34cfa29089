import Foundation
import Hyperbasis
import HyperbasisBlob
import HyperbasisCore

/// The first 16 hex digits of the SHA-256 of all that lives, in the form that TRACE.md gives.
struct StateHash {
  private var bytes: [UInt8] = []

  /// Takes the next anchor, in the order of ids.
  mutating func add(_ id: String, _ transform: Transform, _ fields: [(key: Key, value: [UInt8])]) {
    var writer = ByteWriter()
    writer.fixed(transform.elements)
    let all = fields + [(Key("t"), writer.bytes)]
    bytes += Array(id.utf8)
    for (key, value) in all.sorted(by: { $0.key < $1.key }) {
      bytes += Array("\(key.text)=".utf8) + value + Array(";".utf8)
    }
  }

  var text: String { String(SHA256.hash(bytes).description.prefix(16)) }

  /// Of what a storage handed out.
  ///
  /// - Throws: `TransformError`, `BenchmarkError` for a value that no trace has.
  static func of(_ anchors: [HBAnchor]) throws -> String {
    var hash = StateHash()
    let sorted = anchors.map { (id: $0.id.uuidString.lowercased(), anchor: $0) }
      .sorted { $0.id < $1.id }
    for (id, anchor) in sorted {
      let fields = try anchor.metadata.map { key, value in
        switch value {
        case .string(let text): (Key(key), Array(text.utf8))
        case .int(let number): (Key(key), Array("\(number)".utf8))
        default: throw BenchmarkError("the anchor \(id) has a value that no trace has: \(value)")
        }
      }
      hash.add(id, try Transform(anchor.transform), fields)
    }
    return hash.text
  }
}
