import Foundation
import HyperbasisCore

extension UUID {
  package init<Kind>(_ identifier: Identifier<Kind>) {
    let bytes = withUnsafeBytes(of: identifier.bits.bigEndian, Array.init)
    self.init(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
        bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
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
