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
  package private(set) var elements: SIMD16<Float>

  package static let identity = Transform(
    elements: SIMD16(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1))

  /// - Throws: `TransformError` when there are not 16 numbers or one is NaN or infinite.
  package init(_ numbers: some Collection<Float>) throws(TransformError) {
    guard numbers.count == 16 else { throw .wrongCount(numbers.count) }
    elements = SIMD16(numbers)
    for index in 0..<16 where !elements[index].isFinite { throw .notFinite(index: index) }
  }

  private init(elements: SIMD16<Float>) {
    self.elements = elements
  }

  /// A copy with another position, in metres.
  ///
  /// - Throws: `TransformError.notFinite` when a coordinate is NaN or infinite.
  package func moved(
    to position: (x: Float, y: Float, z: Float)
  ) throws(TransformError) -> Transform {
    var copy = self
    for (index, number) in [(12, position.x), (13, position.y), (14, position.z)] {
      guard number.isFinite else { throw .notFinite(index: index) }
      copy.elements[index] = number
    }
    return copy
  }

  /// The 16 numbers, column by column.
  package var numbers: [Float] {
    Array(unsafeUninitializedCapacity: 16) { buffer, count in
      for index in 0..<16 { buffer.initializeElement(at: index, to: elements[index]) }
      count = 16
    }
  }

  package var position: (x: Float, y: Float, z: Float) {
    (elements[12], elements[13], elements[14])
  }
}

extension Transform: Equatable {
  package static func == (left: Self, right: Self) -> Bool {
    if Defect.zerosAreEqualInTransforms.isPlanted { return left.elements == right.elements }
    return (0..<16).allSatisfy { left.elements[$0].bitPattern == right.elements[$0].bitPattern }
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
