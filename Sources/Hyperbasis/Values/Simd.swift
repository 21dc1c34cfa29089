// The names are those of Apple's simd, so that code written for it compiles here.
// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

#if canImport(simd)
  @_exported import simd  // Not compiled here.
#else
  /// Three floats; a point or a direction.
  public typealias simd_float3 = SIMD3<Float>
  /// Four floats; a column of a ``simd_float4x4``.
  public typealias simd_float4 = SIMD4<Float>
  /// The Swift name of ``simd_float4x4``.
  public typealias float4x4 = simd_float4x4

  /// A matrix of four columns of four floats, where Apple's simd is missing.
  ///
  /// ```swift
  /// var transform = matrix_identity_float4x4
  /// transform.columns.3 = SIMD4(1, 0.5, -2, 1)
  /// print(transform * SIMD4(0, 0, 0, 1))  // SIMD4<Float>(1.0, 0.5, -2.0, 1.0)
  /// ```
  public struct simd_float4x4: Sendable {
    /// The columns; of a transform the last is the position, in metres, and 1.
    public var columns: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)

    /// All zeros.
    public init() {
      self.init(.zero, .zero, .zero, .zero)
    }

    /// A matrix of four columns.
    public init(columns: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)) {
      self.columns = columns
    }

    /// A matrix of four columns.
    public init(
      _ column0: SIMD4<Float>, _ column1: SIMD4<Float>, _ column2: SIMD4<Float>,
      _ column3: SIMD4<Float>
    ) {
      columns = (column0, column1, column2, column3)
    }

    /// Zeros beside the diagonal.
    public init(diagonal: SIMD4<Float>) {
      self.init()
      for index in 0..<4 { self[index, index] = diagonal[index] }
    }

    /// A matrix of a list of columns.
    ///
    /// - Precondition: there are four columns.
    public init(_ columns: [SIMD4<Float>]) {
      precondition(columns.count == 4, "a simd_float4x4 has 4 columns, not \(columns.count)")
      self.init(columns[0], columns[1], columns[2], columns[3])
    }

    /// One column.
    ///
    /// - Precondition: `column` is 0 to 3.
    public subscript(column: Int) -> SIMD4<Float> {
      get {
        switch column {
        case 0: columns.0
        case 1: columns.1
        case 2: columns.2
        case 3: columns.3
        default: preconditionFailure("a simd_float4x4 has no column \(column)")
        }
      }
      set {
        switch column {
        case 0: columns.0 = newValue
        case 1: columns.1 = newValue
        case 2: columns.2 = newValue
        case 3: columns.3 = newValue
        default: preconditionFailure("a simd_float4x4 has no column \(column)")
        }
      }
    }

    /// One number.
    ///
    /// - Precondition: `column` and `row` are 0 to 3.
    public subscript(column: Int, row: Int) -> Float {
      get { self[column][row] }
      set { self[column][row] = newValue }
    }
  }

  extension simd_float4x4: Equatable {
    /// Number by number, as `Float` compares: NaN equals nothing.
    public static func == (left: Self, right: Self) -> Bool {
      left.columns == right.columns
    }
  }

  extension simd_float4x4 {
    /// The matrix applied to a vector.
    public static func * (left: Self, right: SIMD4<Float>) -> SIMD4<Float> {
      left.columns.0 * right.x + left.columns.1 * right.y + left.columns.2 * right.z
        + left.columns.3 * right.w
    }

    /// The product: `right` is applied first.
    public static func * (left: Self, right: Self) -> Self {
      Self(
        left * right.columns.0, left * right.columns.1, left * right.columns.2,
        left * right.columns.3)
    }

    /// The matrix with rows and columns exchanged.
    public var transpose: Self {
      var result = Self()
      for column in 0..<4 {
        for row in 0..<4 { result[column, row] = self[row, column] }
      }
      return result
    }

    /// The determinant; zero where there is no inverse.
    public var determinant: Float {
      Halves(of: self).determinant
    }

    /// The inverse; where the determinant is zero its numbers are infinite or NaN.
    public var inverse: Self {
      Halves(of: self).inverse
    }
  }

  /// A matrix as what its two left and its two right columns span (Lengyel, Foundations of Game
  /// Engine Development 1, section 1.7).
  private struct Halves {
    /// The upper three rows of each column.
    let upper: [SIMD3<Float>]
    /// The lowest row.
    let lowest: SIMD4<Float>
    let leftNormal: SIMD3<Float>
    let rightNormal: SIMD3<Float>
    let leftEdge: SIMD3<Float>
    let rightEdge: SIMD3<Float>

    init(of matrix: simd_float4x4) {
      upper = (0..<4).map { SIMD3(matrix[$0].x, matrix[$0].y, matrix[$0].z) }
      lowest = matrix.transpose.columns.3
      leftNormal = simd_cross(upper[0], upper[1])
      rightNormal = simd_cross(upper[2], upper[3])
      leftEdge = upper[0] * lowest.y - upper[1] * lowest.x
      rightEdge = upper[2] * lowest.w - upper[3] * lowest.z
    }

    var determinant: Float {
      simd_dot(leftNormal, rightEdge) + simd_dot(rightNormal, leftEdge)
    }

    var inverse: simd_float4x4 {
      let rows = [
        SIMD4(
          simd_cross(upper[1], rightEdge) + rightNormal * lowest.y,
          -simd_dot(upper[1], rightNormal)),
        SIMD4(
          simd_cross(rightEdge, upper[0]) - rightNormal * lowest.x,
          simd_dot(upper[0], rightNormal)),
        SIMD4(
          simd_cross(upper[3], leftEdge) + leftNormal * lowest.w,
          -simd_dot(upper[3], leftNormal)),
        SIMD4(
          simd_cross(leftEdge, upper[2]) - leftNormal * lowest.z,
          simd_dot(upper[2], leftNormal)),
      ]
      return simd_float4x4(rows.map { $0 / determinant }).transpose
    }
  }

  /// Ones on the diagonal and zeros beside it: the transform that changes nothing.
  public let matrix_identity_float4x4 = simd_float4x4(diagonal: SIMD4(1, 1, 1, 1))

  /// The product: `right` is applied first.
  public func simd_mul(_ left: simd_float4x4, _ right: simd_float4x4) -> simd_float4x4 {
    left * right
  }

  /// The matrix applied to a vector.
  public func simd_mul(_ left: simd_float4x4, _ right: SIMD4<Float>) -> SIMD4<Float> {
    left * right
  }

  /// The inverse; where the determinant is zero its numbers are infinite or NaN.
  public func simd_inverse(_ matrix: simd_float4x4) -> simd_float4x4 { matrix.inverse }

  /// The matrix with rows and columns exchanged.
  public func simd_transpose(_ matrix: simd_float4x4) -> simd_float4x4 { matrix.transpose }

  /// The determinant; zero where there is no inverse.
  public func simd_determinant(_ matrix: simd_float4x4) -> Float { matrix.determinant }

  /// The sum of the products of the elements.
  public func simd_dot(_ left: SIMD3<Float>, _ right: SIMD3<Float>) -> Float {
    (left * right).sum()
  }

  /// The vector that stands on both, as long as the area between them.
  public func simd_cross(_ left: SIMD3<Float>, _ right: SIMD3<Float>) -> SIMD3<Float> {
    SIMD3(
      left.y * right.z - left.z * right.y, left.z * right.x - left.x * right.z,
      left.x * right.y - left.y * right.x)
  }

  /// The length; infinite where its square is beyond a float.
  public func simd_length(_ vector: SIMD3<Float>) -> Float {
    simd_dot(vector, vector).squareRoot()
  }

  /// The length of the difference.
  public func simd_distance(_ left: SIMD3<Float>, _ right: SIMD3<Float>) -> Float {
    simd_length(left - right)
  }

  /// The vector of length 1 in the same direction; NaN for the zero vector.
  public func simd_normalize(_ vector: SIMD3<Float>) -> SIMD3<Float> {
    vector / simd_length(vector)
  }
#endif
