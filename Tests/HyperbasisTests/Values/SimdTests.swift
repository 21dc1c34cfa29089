import Testing

@testable import Hyperbasis

struct SimdTests {
  /// Columns of no special form, determinant 100.
  private let matrix = simd_float4x4(
    SIMD4(2, 0, 1, 3), SIMD4(1, 4, 0, 2), SIMD4(0, 1, 5, 1), SIMD4(3, 2, 1, 6))

  @Test func columnsAreReadAndWrittenByIndex() {
    var changed = matrix
    changed[3] = SIMD4(7, 8, 9, 1)
    changed[1, 2] = -4
    #expect(changed.columns.3 == SIMD4(7, 8, 9, 1))
    #expect(changed.columns.1 == SIMD4(1, 4, -4, 2))
    #expect(changed[1, 2] == -4)
    #expect(changed != matrix)
  }

  @Test func everyInitialiserGivesItsColumns() {
    let columns = (matrix[0], matrix[1], matrix[2], matrix[3])
    #expect(simd_float4x4(columns: columns) == matrix)
    #expect(simd_float4x4([columns.0, columns.1, columns.2, columns.3]) == matrix)
    #expect(simd_float4x4().columns.2 == .zero)
    #expect(simd_float4x4(diagonal: SIMD4(1, 1, 1, 1)) == matrix_identity_float4x4)
    #expect(float4x4(diagonal: SIMD4(1, 2, 3, 4))[3] == SIMD4(0, 0, 0, 4))
  }

  @Test func aProductIsRowsTimesColumns() {
    let vector = SIMD4<Float>(1, 2, 3, 4)
    #expect(matrix * vector == SIMD4(16, 19, 20, 34))
    #expect(simd_mul(matrix, vector) == matrix * vector)
    #expect((matrix * matrix)[0] == matrix * matrix[0])
    #expect(simd_mul(matrix, matrix)[3] == matrix * matrix[3])
    #expect(matrix * matrix_identity_float4x4 == matrix)
  }

  @Test func transposingSwapsRowsAndColumns() {
    #expect(matrix.transpose[0] == SIMD4(2, 1, 0, 3))
    #expect(matrix.transpose.transpose == matrix)
    #expect(simd_transpose(matrix) == matrix.transpose)
  }

  @Test func theInverseUndoes() {
    #expect(abs(matrix.determinant - determinant(of: matrix)) < 1e-4)
    #expect(abs(simd_determinant(matrix.transpose) - matrix.determinant) < 1e-4)
    expect(matrix * matrix.inverse, isNear: matrix_identity_float4x4)
    expect(simd_inverse(matrix) * matrix, isNear: matrix_identity_float4x4)
    var moved = matrix_identity_float4x4
    moved.columns.3 = SIMD4(1, 0.5, -2, 1)
    #expect(moved.inverse.columns.3 == SIMD4(-1, -0.5, 2, 1))
    #expect(simd_float4x4().inverse[0].x.isFinite == false)
  }

  @Test func vectorsHaveLengthsAndProducts() {
    #expect(simd_length(SIMD3(3, 4, 12)) == 13)
    #expect(simd_distance(SIMD3(1, 1, 1), SIMD3(4, 5, 1)) == 5)
    #expect(simd_dot(SIMD3(1, 2, 3), SIMD3(4, 5, 6)) == 32)
    #expect(simd_cross(SIMD3(1, 0, 0), SIMD3(0, 1, 0)) == SIMD3(0, 0, 1))
    #expect(simd_normalize(SIMD3(0, 0, 4)) == SIMD3(0, 0, 1))
  }

  private func expect(
    _ matrix: simd_float4x4, isNear other: simd_float4x4,
    at location: SourceLocation = #_sourceLocation
  ) {
    for column in 0..<4 {
      let difference = matrix[column] - other[column]
      #expect((difference * difference).sum() < 1e-8, sourceLocation: location)
    }
  }

  /// By the sum over all permutations.
  private func determinant(of matrix: simd_float4x4) -> Float {
    var sum: Float = 0
    func place(_ row: Int, _ used: [Int], _ product: Float) {
      guard row < 4 else {
        sum += product
        return
      }
      for column in 0..<4 where !used.contains(column) {
        let sign: Float = used.count { $0 > column } % 2 == 0 ? 1 : -1
        place(row + 1, used + [column], product * sign * matrix[column, row])
      }
    }
    place(0, [], 1)
    return sum
  }
}
