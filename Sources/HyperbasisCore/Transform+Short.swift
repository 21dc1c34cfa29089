extension Transform {
  /// What a short form leaves out.
  private struct Form: OptionSet {
    let rawValue: UInt8
    /// The last row is 0, 0, 0, 1.
    static let affine = Form(rawValue: 1)
    /// The axes are x, y and z.
    static let unturned = Form(rawValue: 2)
    /// The third axis is nearly that which is right-angled to both others: what is missing is told.
    static let rightAngled = Form(rawValue: 4)
    static let all: Form = [.affine, .unturned, .rightAngled]
  }

  /// Writes the transform without what follows from the rest of it; bit for bit what it was.
  ///
  /// A rotation takes 24 bytes and three small numbers, none where there is none, and a position 12.
  ///
  /// - Parameter tops: Takes the highest byte of each float, of which a compressor makes something.
  func encodeShort(into writer: inout ByteWriter, tops: inout ByteWriter) {
    func put(_ bits: UInt32) {
      writer.byte(UInt8(truncatingIfNeeded: bits))
      writer.byte(UInt8(truncatingIfNeeded: bits >> 8))
      writer.byte(UInt8(truncatingIfNeeded: bits >> 16))
      tops.byte(UInt8(bits >> 24))
    }
    let elements = elements
    let bits = unsafeBitCast(elements, to: SIMD16<UInt32>.self)
    let identity = unsafeBitCast(Transform.identity.elements, to: SIMD16<UInt32>.self)
    var form: Form = []
    if Transform.lastRow.allSatisfy({ bits[$0] == identity[$0] }) { form.insert(.affine) }
    if Transform.axes.allSatisfy({ bits[$0] == identity[$0] }) { form.insert(.unturned) }
    let third = Transform.third(of: elements)
    var rest = ByteWriter()
    for axis in 0..<3 { rest.signed(Int64(Int32(bitPattern: bits[8 + axis] &- third[axis]))) }
    if !form.contains(.unturned), rest.bytes.count < 12 { form.insert(.rightAngled) }
    writer.byte(form.rawValue)
    if !form.contains(.unturned) {
      for index in [0, 1, 2, 4, 5, 6] { put(bits[index]) }
      if form.contains(.rightAngled) {
        writer.raw(rest.bytes)
      } else {
        for index in [8, 9, 10] { put(bits[index]) }
      }
    }
    for index in [12, 13, 14] { put(bits[index]) }
    if !form.contains(.affine) { for index in Transform.lastRow { put(bits[index]) } }
  }

  /// - Throws: `CodecError` for a form that is not known, and for numbers that are not finite.
  init(
    shortFrom reader: inout ByteReader, tops: inout ByteReader
  ) throws(CodecError) {
    func number() throws(CodecError) -> UInt32 {
      var bits = UInt32(try reader.byte())
      bits |= UInt32(try reader.byte()) << 8
      bits |= UInt32(try reader.byte()) << 16
      return bits | UInt32(try tops.byte()) << 24
    }
    let start = reader.offset
    let form = Form(rawValue: try reader.byte())
    guard form.isSubset(of: .all) else {
      throw .unknownKind(of: "transform", kind: form.rawValue, offset: start)
    }
    var bits = unsafeBitCast(Transform.identity.elements, to: SIMD16<UInt32>.self)
    if !form.contains(.unturned) {
      for index in [0, 1, 2, 4, 5, 6] { bits[index] = try number() }
      let third = Transform.third(of: unsafeBitCast(bits, to: SIMD16<Float>.self))
      for axis in 0..<3 {
        bits[8 + axis] =
          form.contains(.rightAngled)
          ? third[axis] &+ UInt32(truncatingIfNeeded: try reader.signed())
          : try number()
      }
    }
    for index in [12, 13, 14] { bits[index] = try number() }
    if !form.contains(.affine) {
      for index in Transform.lastRow { bits[index] = try number() }
    }
    do {
      try self.init(elements: unsafeBitCast(bits, to: SIMD16<Float>.self))
    } catch { throw .invalid("transform", offset: start) }
  }

  private static let lastRow = [3, 7, 11, 15]
  private static let axes = [0, 1, 2, 4, 5, 6, 8, 9, 10]

  /// The bits of the axis that is right-angled to the first two: their product, in double precision, rounded. The same
  /// on every machine, as each step is rounded by IEEE 754 and none is fused.
  private static func third(of elements: SIMD16<Float>) -> [3 of UInt32] {
    let (x, y) = (elements.lowHalf.lowHalf, elements.lowHalf.highHalf)
    func minor(_ first: Int, _ second: Int) -> UInt32 {
      let left = Double(x[first]) * Double(y[second])
      let right = Double(x[second]) * Double(y[first])
      return Float(left - right).bitPattern
    }
    return [minor(1, 2), minor(2, 0), minor(0, 1)]
  }
}
