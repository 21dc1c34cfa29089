import HyperbasisCore

// MARK: The transform

extension HBAnchor {
  /// The 16 numbers of a matrix, column by column.
  public static func flatten(_ matrix: simd_float4x4) -> [Float] {
    (0..<4).flatMap { column in (0..<4).map { matrix[column][$0] } }
  }

  /// The matrix of 16 numbers, column by column.
  ///
  /// - Throws: `HBAnchorError.invalidTransform` when there are not 16.
  public static func unflatten(_ array: [Float]) throws -> simd_float4x4 {
    guard array.count == 16 else { throw HBAnchorError.invalidTransform(count: array.count) }
    return simd_float4x4(
      SIMD4(array[0..<4]), SIMD4(array[4..<8]), SIMD4(array[8..<12]), SIMD4(array[12..<16]))
  }

  /// The transform as a matrix.
  ///
  /// - Throws: `HBAnchorError.invalidTransform` when it has not 16 numbers.
  public func simdTransform() throws -> simd_float4x4 {
    try Self.unflatten(transform)
  }

  /// The transform as a matrix; nil unless it is 16 finite numbers.
  public var validSimdTransform: simd_float4x4? {
    hasValidTransform ? try? simdTransform() : nil
  }

  /// Metres; zero where the transform has too few numbers.
  public var position: SIMD3<Float> { transform.position }

  private var hasValidTransform: Bool {
    transform.count == 16 && transform.allSatisfy(\.isFinite)
  }
}

extension [Float] {
  /// The position within a flattened matrix, in metres; zero where numbers are missing.
  var position: SIMD3<Float> {
    count > 14 ? SIMD3(self[12], self[13], self[14]) : .zero
  }

  /// Equal bit for bit.
  func isIdentical(to other: [Float]) -> Bool {
    elementsEqual(other) { $0.bitPattern == $1.bitPattern }
  }
}

// MARK: Metadata

extension HBAnchor {
  /// Whether there is at least one key.
  public var hasMetadata: Bool { !metadata.isEmpty }

  /// The value of a key; nil when the anchor has none.
  public func metadata(forKey key: String) -> AnyCodableValue? { metadata[key] }

  /// The string of a key; nil when it has none or another kind, as for the kinds below.
  public func stringMetadata(forKey key: String) -> String? { metadata[key]?.stringValue }

  /// The integer of a key; nil for a double, also a whole one.
  public func intMetadata(forKey key: String) -> Int? { metadata[key]?.intValue }

  /// The double of a key; nil for an integer.
  public func doubleMetadata(forKey key: String) -> Double? { metadata[key]?.doubleValue }

  /// The boolean of a key.
  public func boolMetadata(forKey key: String) -> Bool? { metadata[key]?.boolValue }

  /// The elements of a key's list.
  public func arrayMetadata(forKey key: String) -> [AnyCodableValue]? {
    metadata[key]?.arrayValue
  }

  /// The entries of a key's dictionary.
  public func dictionaryMetadata(forKey key: String) -> [String: AnyCodableValue]? {
    metadata[key]?.dictionaryValue
  }
}

// MARK: State

extension HBAnchor {
  /// Whether `deletedAt` is set.
  public var isDeleted: Bool { deletedAt != nil }

  /// Whether the transform is 16 finite numbers and no number in the metadata is NaN or infinite.
  ///
  /// Saving throws for an anchor that is not valid. Complexity: O(n) in the metadata.
  public func validate() -> Bool {
    hasValidTransform && metadata.values.allSatisfy(\.isFinite)
  }
}
