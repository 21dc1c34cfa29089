/// Bytes that go in at one end and out at the other, at amortised constant cost per byte.
package struct ByteQueue: Sendable {
  private var storage: [UInt8] = []
  private var head = 0

  package init() {}

  package mutating func append(_ bytes: [UInt8]) {
    storage.append(contentsOf: bytes)
  }

  package mutating func append(_ bytes: RawSpan) {
    bytes.withUnsafeBytes { storage.append(contentsOf: $0) }
  }

  /// Takes the oldest bytes away.
  ///
  /// - Precondition: `count` is at most ``count``.
  package mutating func removeFirst(_ count: Int) {
    precondition(count <= self.count, "more bytes taken than there are")
    head += count
    if head == storage.count {
      // A buffer that once was large is given back.
      storage.removeAll(keepingCapacity: storage.capacity <= NetLimits.readBytesPerTurn)
      head = 0
    } else if head >= NetLimits.lowWaterBytes, head >= storage.count / 2 {
      storage.removeFirst(head)
      head = 0
    }
  }

  package mutating func removeAll() {
    storage = []
    head = 0
  }

  package var count: Int { storage.count - head }

  package var isEmpty: Bool { count == 0 }

  /// Shows the bytes in order.
  package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    storage.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[head...])) }
  }
}
