/// A random 128-bit id that names one kind of thing; ids of different kinds do not mix.
///
/// ```swift
/// let id = AnchorID(text: "f81d4fae-7dec-11d0-a765-00a0c91e6bf6")!
/// print(id)  // f81d4fae-7dec-11d0-a765-00a0c91e6bf6
/// ```
///
/// The bits are in the order of the canonical UUID text: the first hex digit is the most significant.
/// Order is numeric, which is also the order of the texts.
package struct Identifier<Kind>: Hashable, Comparable, Sendable {
  package let bits: UInt128

  package init(_ bits: UInt128) {
    self.bits = bits
  }

  /// Reads the canonical form (8-4-4-4-12 hex digits, either case); nil for anything else.
  package init?(text: some StringProtocol) {
    var bits: UInt128 = 0
    var position = 0
    for byte in text.utf8 {
      switch position {
      case 8, 13, 18, 23:
        guard byte == UInt8(ascii: "-") else { return nil }
      default:
        guard position < 36, let digit = hexDigit(byte) else { return nil }
        bits = bits << 4 | UInt128(digit)
      }
      position += 1
    }
    guard position == 36 else { return nil }
    self.bits = bits
  }

  /// 32 lower-case hex digits without dashes.
  package var hex: String {
    let digits = String(bits, radix: 16)
    return String(repeating: "0", count: 32 - digits.utf8.count) + digits
  }

  /// Reads 32 hex digits without dashes; nil for anything else.
  package init?(hex: some StringProtocol) {
    guard hex.utf8.count == 32, hex.utf8.allSatisfy({ hexDigit($0) != nil }),
      let bits = UInt128(hex, radix: 16)
    else { return nil }
    self.bits = bits
  }

  package static func < (left: Self, right: Self) -> Bool {
    left.bits < right.bits
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(UInt64(truncatingIfNeeded: bits))
    hasher.combine(UInt64(truncatingIfNeeded: bits >> 64))
  }
}

extension Identifier: CustomStringConvertible {
  /// The canonical lower-case text.
  package var description: String {
    var text = ""
    for (position, digit) in hex.enumerated() {
      if [8, 12, 16, 20].contains(position) { text.append("-") }
      text.append(digit)
    }
    return text
  }
}

/// The value of one hex digit, either case; nil for another byte.
private func hexDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}

/// What an ``Identifier`` can name.
package enum AnchorKind {}
package enum SpaceKind {}
package enum ReplicaKind {}
package enum DeviceKind {}

package typealias AnchorID = Identifier<AnchorKind>
package typealias SpaceID = Identifier<SpaceKind>
/// One incarnation of one store.
package typealias ReplicaID = Identifier<ReplicaKind>
/// A device met on the network.
package typealias DeviceID = Identifier<DeviceKind>
