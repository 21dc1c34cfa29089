/// A 4x4 transform: 16 finite floats in column-major order, as `simd_float4x4` lays them out.
///
/// ```swift
/// let transform = try Transform.identity.moved(to: (1, 0.5, -2))
/// transform.elements[12]  // 1.0
/// ```
///
/// Elements 0-3 are the local x axis, 4-7 y, 8-11 z, 12-15 the position in metres. Equality is bit
/// for bit: -0.0 differs from 0.0, and nothing is re-orthonormalised.
package struct Transform: Sendable {
  /// By column. A vector of 16 would have to lie at a multiple of 64 bytes, and all that holds one too,
  /// which makes memory slow to get.
  private let columns: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)

  package var elements: SIMD16<Float> {
    SIMD16(
      lowHalf: SIMD8(lowHalf: columns.0, highHalf: columns.1),
      highHalf: SIMD8(lowHalf: columns.2, highHalf: columns.3))
  }

  package static let identity = Transform(
    finite: SIMD16(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1))

  /// - Throws: `TransformError` when there are not 16 numbers or one is NaN or infinite.
  package init(_ numbers: some Collection<Float>) throws(TransformError) {
    guard numbers.count == 16 else { throw .wrongCount(numbers.count) }
    try self.init(elements: SIMD16(numbers))
  }

  /// - Throws: `TransformError.notFinite` when one is NaN or infinite.
  package init(elements: SIMD16<Float>) throws(TransformError) {
    for index in 0..<16 where !elements[index].isFinite { throw .notFinite(index: index) }
    self.init(finite: elements)
  }

  private init(finite elements: SIMD16<Float>) {
    let (left, right) = (elements.lowHalf, elements.highHalf)
    columns = (left.lowHalf, left.highHalf, right.lowHalf, right.highHalf)
  }

  /// A copy with another position, in metres.
  ///
  /// - Throws: `TransformError.notFinite` when a coordinate is NaN or infinite.
  package func moved(
    to position: (x: Float, y: Float, z: Float)
  ) throws(TransformError) -> Transform {
    var elements = elements
    for (index, number) in [(12, position.x), (13, position.y), (14, position.z)] {
      guard number.isFinite else { throw .notFinite(index: index) }
      elements[index] = number
    }
    return Transform(finite: elements)
  }

  /// The 16 numbers, column by column.
  package var numbers: [Float] {
    let elements = elements
    return Array(unsafeUninitializedCapacity: 16) { buffer, count in
      for index in 0..<16 { buffer.initializeElement(at: index, to: elements[index]) }
      count = 16
    }
  }

  package var position: (x: Float, y: Float, z: Float) {
    (columns.3[0], columns.3[1], columns.3[2])
  }
}

extension Transform: Equatable {
  package static func == (left: Self, right: Self) -> Bool {
    let (left, right) = (left.elements, right.elements)
    if Defect.zerosAreEqualInTransforms.isPlanted { return left == right }
    return (0..<16).allSatisfy { left[$0].bitPattern == right[$0].bitPattern }
  }
}

/// Why numbers are not a ``Transform``.
package enum TransformError: Error, Equatable {
  case wrongCount(Int)
  case notFinite(index: Int)
}

extension TransformError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .wrongCount(let count): "a transform has 16 numbers, not \(count)"
    case .notFinite(let index): "number \(index + 1) of the transform is not finite"
    }
  }
}
