import HyperbasisCore

extension SpaceState {
  /// A hash of what is held, by its encoding: the same in all versions, whatever the digest that peers compare is
  /// made of.
  var contentDigest: Digest {
    var sum: UInt128 = 0
    for cell in ([nil] + anchors(includingDeleted: true).map(\.id)).flatMap({ record(of: $0) }) {
      var writer = ByteWriter()
      Cell.encode([cell], into: &writer)
      sum &+= Digest(of: writer.bytes).bits
    }
    var writer = ByteWriter()
    writer.identifier(id)
    writer.fixed(sum)
    vector.encode(into: &writer)
    return Digest(of: writer.bytes)
  }
}
