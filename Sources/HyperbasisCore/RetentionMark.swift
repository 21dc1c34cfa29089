/// What all members of a space were known to have at a time: how old what they have is at least.
package struct RetentionMark: Equatable, Sendable {
  /// By the wall clock, in milliseconds since 1970.
  package let wall: UInt64
  package let stable: VersionVector

  package init(wall: UInt64, stable: VersionVector) {
    self.wall = wall
    self.stable = stable
  }

  /// Marks of one space, the oldest first.
  package static func encode(_ marks: [RetentionMark], into writer: inout ByteWriter) {
    writer.varint(marks.count)
    for mark in marks {
      writer.fixed(mark.wall)
      mark.stable.encode(into: &writer)
    }
  }

  /// - Throws: `CodecError`, also where they are not in order.
  package static func decode(
    from reader: inout ByteReader
  ) throws(CodecError) -> [RetentionMark] {
    let start = reader.offset
    let count = try reader.count(of: "marks", most: mostMarks, itemBytes: 9)
    var marks: [RetentionMark] = []
    for _ in 0..<count {
      let wall = try reader.fixed(UInt64.self)
      if let last = marks.last, last.wall > wall { throw .invalid("order of marks", offset: start) }
      marks.append(RetentionMark(wall: wall, stable: try VersionVector(from: &reader)))
    }
    return marks
  }

  /// So many of a space are kept.
  package static let mostMarks = 64
}
