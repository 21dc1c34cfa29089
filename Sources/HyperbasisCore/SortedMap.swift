/// A map whose iteration order is the order of its keys, so that no run depends on hashing.
///
/// Two arrays: O(log n) to look up, O(n) to insert or remove. For tens to thousands of keys. Each value
/// has a box of its own, so that large ones are read and changed in place, and a copy of the map copies
/// no value before it is changed.
///
/// It is public, though no app can name it, since only public code is specialised in other modules:
/// without that each access goes through tables of witnesses and costs ten times as much.
@frozen
public struct SortedMap<Key: Comparable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline internal var sortedKeys: [Key] = []
  @usableFromInline internal var boxes: [Box] = []

  /// The memory of one value. It is raw, since only so can a value be lent without a copy, and be moved
  /// out while a subscript changes it as an optional.
  ///
  /// Safe because a box with one owner alone is changed.
  @usableFromInline
  internal final class Box: @unchecked Sendable {
    @usableFromInline internal let memory: UnsafeMutablePointer<Value>
    /// The value was moved out for good.
    @usableFromInline internal var isEmpty = false

    @inlinable internal init(_ value: consuming Value) {
      memory = .allocate(capacity: 1)
      memory.initialize(to: value)
    }

    @inlinable deinit {
      if !isEmpty { memory.deinitialize(count: 1) }
      memory.deallocate()
    }
  }

  @inlinable public init() {}

  @inlinable public var keys: [Key] { sortedKeys }
  @inlinable public var count: Int { sortedKeys.count }
  @inlinable public var isEmpty: Bool { sortedKeys.isEmpty }
  @inlinable public var indices: Range<Int> { sortedKeys.indices }

  /// Copies, in the order of the keys; ``subscript(at:)`` copies nothing.
  @inlinable public var values: [Value] { boxes.map { $0.memory.pointee } }

  /// A copy of the value of `key`; setting nil removes it. Changed in place.
  @inlinable public subscript(key: Key) -> Value? {
    get { index(of: key).map { boxes[$0].memory.pointee } }
    _modify {
      let (index, found) = position(of: key)
      var value: Value?
      if found {
        makeUnique(index)
        value = boxes[index].memory.move()
      }
      defer { put(value, for: key, at: index, wasFound: found) }
      yield &value
    }
  }

  /// The value of `key`, changed in place; `value` is stored first where there is none.
  @inlinable public subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
    get { self[key] ?? value() }
    _modify {
      let (index, found) = position(of: key)
      if found { makeUnique(index) } else { insert(value(), for: key, at: index) }
      yield &boxes[index].memory.pointee
    }
  }

  /// The value of a key that is there, read and changed in place. Precondition: it is there.
  @inlinable public subscript(present key: Key) -> Value {
    unsafeAddress {
      let (index, found) = position(of: key)
      precondition(found, "the key is there")
      return UnsafePointer(boxes[index].memory)
    }
    _modify {
      let (index, found) = position(of: key)
      precondition(found, "the key is there")
      makeUnique(index)
      yield &boxes[index].memory.pointee
    }
  }

  /// The value at an index, read and changed in place. Precondition: `index` is one of ``indices``.
  @inlinable public subscript(at index: Int) -> Value {
    unsafeAddress { UnsafePointer(boxes[index].memory) }
    _modify {
      makeUnique(index)
      yield &boxes[index].memory.pointee
    }
  }

  /// The index of a key. O(log n).
  @inlinable public func index(of key: Key) -> Int? {
    let (index, found) = position(of: key)
    return found ? index : nil
  }

  @inlinable internal func position(of key: Key) -> (index: Int, found: Bool) {
    let index = sortedKeys.firstIndex(notBelow: { $0 < key })
    return (index, index < sortedKeys.count && sortedKeys[index] == key)
  }

  @inlinable internal mutating func insert(_ value: Value, for key: Key, at index: Int) {
    sortedKeys.insert(key, at: index)
    boxes.insert(Box(value), at: index)
  }

  /// Ends the change of an optional: where the key was found, its memory is empty until now.
  @inlinable internal mutating func put(
    _ value: consuming Value?, for key: Key, at index: Int, wasFound: Bool
  ) {
    switch (value, wasFound) {
    case (let value?, true): boxes[index].memory.initialize(to: value)
    case (let value?, false): insert(value, for: key, at: index)
    case (nil, true): remove(at: index)
    case (nil, false): break
    }
  }

  /// Precondition: the memory at the index is empty.
  @inlinable internal mutating func remove(at index: Int) {
    sortedKeys.remove(at: index)
    boxes.remove(at: index).isEmpty = true
  }

  @inlinable internal mutating func makeUnique(_ index: Int) {
    if !isKnownUniquelyReferenced(&boxes[index]) {
      boxes[index] = Box(boxes[index].memory.pointee)
    }
  }
}

extension SortedMap: CustomReflectable {
  /// The keys and the values, not the boxes.
  public var customMirror: Mirror {
    Mirror(self, children: ["keys": keys, "values": values], displayStyle: .struct)
  }
}
