/// What a replica may have given up of a space.
package struct GivenUp: Equatable, Sendable {
  /// What it knows all members to have: nothing beyond that was given up.
  package var floor: VersionVector
  /// The greatest timestamp of what was given up; zero where nothing was.
  package var last: Timestamp

  package init(floor: VersionVector = VersionVector(), last: Timestamp = .zero) {
    (self.floor, self.last) = (floor, last)
  }

  package func encode(into writer: inout ByteWriter) {
    floor.encode(into: &writer)
    writer.fixed(last.bits)
  }

  package init(from reader: inout ByteReader) throws(CodecError) {
    floor = try VersionVector(from: &reader)
    last = Timestamp(bits: try reader.fixed(UInt64.self))
  }
}

extension SpaceState {
  package var givenUp: GivenUp { GivenUp(floor: floor, last: lastGivenUp) }
}
