extension SpaceState {
  /// One anchor's registers, as rows of the table.
  struct AnchorSlot: Sendable {
    /// The number, and in the lowest bit whether it is hidden: a slot takes 24 bytes.
    private var packedNumber: UInt64
    private var existenceRow: Int32 = -1
    private var transformRow: Int32 = -1
    /// Ascending by the place of the key, not by its text; removed keys stay, with a nil value.
    private(set) var fields: [Field] = []

    struct Field: Sendable {
      let key: UInt32
      fileprivate var packedRow: UInt32

      var row: Int { Int(packedRow) }
    }

    /// Keys that an anchor gets room for with its first one.
    private static let usualFields = 6

    init(number: Int) {
      packedNumber = UInt64(number) << 1 | 1
    }

    /// A small number that stays its own for the life of the store, and is no other's afterwards.
    var number: Int {
      get { Int(packedNumber >> 1) }
      set { packedNumber = UInt64(newValue) << 1 | packedNumber & 1 }
    }

    /// Whether nothing of the anchor is shown: it is deleted, or was never made.
    var isHidden: Bool {
      get { packedNumber & 1 != 0 }
      set { packedNumber = packedNumber & ~1 | (newValue ? 1 : 0) }
    }

    var existence: Int? {
      get { existenceRow < 0 ? nil : Int(existenceRow) }
      set { existenceRow = newValue.map { Int32($0) } ?? -1 }
    }

    var transform: Int? {
      get { transformRow < 0 ? nil : Int(transformRow) }
      set { transformRow = newValue.map { Int32($0) } ?? -1 }
    }

    /// The row of a key, by its place. O(log n).
    func row(ofKey key: Int) -> Int? {
      let index = position(ofKey: key)
      return index < fields.count && fields[index].key == key ? fields[index].row : nil
    }

    /// Precondition: the key has no row. O(n).
    mutating func insert(_ row: Int, ofKey key: Int) {
      if fields.isEmpty { fields.reserveCapacity(AnchorSlot.usualFields) }
      fields.insert(Field(key: UInt32(key), packedRow: UInt32(row)), at: position(ofKey: key))
    }

    mutating func removeFields(where isGone: (Int) -> Bool) {
      fields.removeAll { isGone($0.row) }
    }

    /// Each register that was written.
    func visit(_ body: (Int) -> Void) {
      if let existence { body(existence) }
      if let transform { body(transform) }
      for field in fields { body(field.row) }
    }

    private func position(ofKey key: Int) -> Int {
      fields.firstIndex(notBelow: { $0.key < key })
    }
  }
}
