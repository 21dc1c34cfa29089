import HyperbasisCore

/// One anchor as one line of JSON, as `hyperbasis anchor list --json` prints it.
///
/// | key | value |
/// | --- | --- |
/// | `id`, `space` | UUIDs |
/// | `position` | 3 numbers, metres: elements 13 to 15 of the transform |
/// | `transform` | 16 numbers, column by column, each the shortest decimal of a 32-bit float |
/// | `metadata` | an object; a number is a double when it has a point or an exponent |
/// | `created`, `updated` | integers, milliseconds since 1970 |
/// | `deleted` | null, or the milliseconds when it was deleted |
package enum AnchorLines {
  /// The line without its line feed, keys in the order of the table; dates in nanoseconds since 1970.
  ///
  /// Precondition: no number in `metadata` is NaN or infinite.
  package static func line(
    id: AnchorID, space: SpaceID, transform: Transform, metadata: Value.Object, created: Int64,
    updated: Int64, deleted: Int64?
  ) -> String {
    let numbers = (0..<16).map { JSON.write(transform.elements[$0]) }
    return """
      {"id":"\(id)","space":"\(space)",\
      "position":[\(numbers[12..<15].joined(separator: ","))],\
      "transform":[\(numbers.joined(separator: ","))],\
      "metadata":\(JSON.write(.object(metadata))),\
      "created":\(milliseconds(created)),"updated":\(milliseconds(updated)),\
      "deleted":\(deleted.map { "\(milliseconds($0))" } ?? "null")}
      """
  }

  /// The whole milliseconds that have passed.
  private static func milliseconds(_ nanoseconds: Int64) -> Int64 {
    nanoseconds / 1_000_000 - (nanoseconds % 1_000_000 < 0 ? 1 : 0)
  }
}
