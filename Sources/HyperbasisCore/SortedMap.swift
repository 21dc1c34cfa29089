/// A map whose iteration order is the order of its keys, so that no run depends on hashing.
///
/// Two arrays: O(log n) to look up, O(n) to insert or remove. For tens to thousands of keys.
package struct SortedMap<Key: Comparable & Sendable, Value: Sendable>: Sendable {
  package private(set) var keys: [Key] = []
  /// Nil only while a subscript is being modified.
  private var storage: [Value?] = []

  package init() {}

  package var count: Int { keys.count }
  package var isEmpty: Bool { keys.isEmpty }

  /// In the order of the keys.
  package var values: LazyMapCollection<[Value?], Value> { storage.lazy.map { $0! } }

  /// The value of `key`, changed in place; setting nil removes it.
  package subscript(key: Key) -> Value? {
    get {
      let (index, found) = position(of: key)
      return found ? storage[index] : nil
    }
    _modify {
      let (index, found) = position(of: key)
      if !found {
        keys.insert(key, at: index)
        storage.insert(nil, at: index)
      }
      defer {
        if storage[index] == nil {
          keys.remove(at: index)
          storage.remove(at: index)
        }
      }
      yield &storage[index]
    }
  }

  /// The value of `key`, changed in place; `value` is stored first where there is none.
  package subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
    get { self[key] ?? value() }
    _modify {
      let (index, found) = position(of: key)
      if !found {
        keys.insert(key, at: index)
        storage.insert(value(), at: index)
      }
      yield &storage[index]!
    }
  }

  private func position(of key: Key) -> (index: Int, found: Bool) {
    let index = keys.firstIndex(notBelow: { $0 < key })
    return (index, index < keys.count && keys[index] == key)
  }
}
