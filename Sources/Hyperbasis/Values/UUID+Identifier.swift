import Foundation
import HyperbasisCore

extension UUID {
  package init<Kind>(_ identifier: Identifier<Kind>) {
    self.init(
      uuid: withUnsafeBytes(of: identifier.bits.bigEndian) { $0.loadUnaligned(as: uuid_t.self) })
  }

  /// The bits in the order of the text; their order is that of the texts.
  var bits: UInt128 {
    withUnsafeBytes(of: uuid) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
  }
}

extension Identifier {
  package init(_ uuid: UUID) {
    self.init(uuid.bits)
  }
}
