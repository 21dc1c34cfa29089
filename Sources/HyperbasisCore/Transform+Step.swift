extension Transform {
  /// Numbers as they are told of: the position first, which is what a drag changes, the axes, the last row.
  private static let order = [12, 13, 14, 0, 1, 2, 4, 5, 6, 8, 9, 10, 3, 7, 11, 15]

  /// Writes what is another number than in the transform before; bit for bit. A step of a drag takes about ten bytes.
  func encodeStep(after last: Transform, into writer: inout ByteWriter) {
    let bits = unsafeBitCast(elements, to: SIMD16<UInt32>.self)
    let known = unsafeBitCast(last.elements, to: SIMD16<UInt32>.self)
    var mask: UInt64 = 0
    for (bit, number) in Transform.order.enumerated() where bits[number] != known[number] {
      mask |= 1 << UInt64(bit)
    }
    writer.varint(mask)
    for number in Transform.order where bits[number] != known[number] {
      writer.signed(Int64(Int32(bitPattern: bits[number] &- known[number])))
    }
  }

  /// - Throws: `CodecError` for a number that is said to be another one and is not, and for numbers that are not
  ///   finite.
  init(stepFrom reader: inout ByteReader, after last: Transform) throws(CodecError) {
    let start = reader.offset
    let mask = try reader.varint()
    guard mask < 1 << UInt64(Transform.order.count) else {
      throw .invalid("transform", offset: start)
    }
    var bits = unsafeBitCast(last.elements, to: SIMD16<UInt32>.self)
    for (bit, number) in Transform.order.enumerated() where mask >> UInt64(bit) & 1 != 0 {
      guard let step = Int32(exactly: try reader.signed()), step != 0 else {
        throw .invalid("transform", offset: start)
      }
      bits[number] &+= UInt32(bitPattern: step)
    }
    do {
      try self.init(elements: unsafeBitCast(bits, to: SIMD16<Float>.self))
    } catch { throw .invalid("transform", offset: start) }
  }
}
