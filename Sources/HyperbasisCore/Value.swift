/// One metadata value, typed: `.int(3)` and `.double(3)` are different values and stay so.
///
/// ```swift
/// let value = Value.array([.double(3), .int(3)])  // two different elements
/// ```
///
/// Equality is exact: doubles by their bits (so -0.0 differs from 0.0), strings and keys by their
/// UTF-8 bytes. The entries of an object are kept in ascending byte order of their keys, each key once.
package enum Value: Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)
  case array([Value])
  case object(Object)
}

extension Value: Equatable {
  package static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.int(let left), .double(let right)) where Defect.integersEqualDoubles.isPlanted:
      Double(left) == right
    case (.double(let left), .double(let right)) where Defect.zerosAreEqual.isPlanted:
      left == right
    case (.string(let left), .string(let right)) where Defect.textsByLetters.isPlanted:
      left == right
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.int(let left), .int(let right)): left == right
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }
}

extension Value {
  /// Entries in ascending byte order of their keys, each key once.
  package struct Object: Equatable, Sendable {
    package private(set) var entries: [Entry]

    package struct Entry: Equatable, Sendable {
      package let key: Key
      package var value: Value

      package init(key: Key, value: Value) {
        self.key = key
        self.value = value
      }
    }

    package init() {
      entries = []
    }

    /// Precondition: keys ascend strictly.
    init(sorted entries: [Entry]) {
      self.entries = entries
    }

    /// Sorts the entries; nil when a key occurs twice.
    package init?(_ unsorted: [Entry]) {
      entries = unsorted.sorted { $0.key < $1.key }
      for (entry, next) in zip(entries, entries.dropFirst()) where entry.key == next.key {
        return nil
      }
    }

    /// The value of `key`; setting nil removes it. O(log n) to read, O(n) to insert or remove.
    package subscript(key: Key) -> Value? {
      get {
        let index = lowerBound(key)
        return index < entries.count && entries[index].key == key ? entries[index].value : nil
      }
      set {
        let index = lowerBound(key)
        let found = index < entries.count && entries[index].key == key
        switch (newValue, found) {
        case (let value?, true): entries[index].value = value
        case (let value?, false): entries.insert(Entry(key: key, value: value), at: index)
        case (nil, true): entries.remove(at: index)
        case (nil, false): break
        }
      }
    }

    private func lowerBound(_ key: Key) -> Int {
      entries.firstIndex(notBelow: { $0.key < key })
    }
  }
}
