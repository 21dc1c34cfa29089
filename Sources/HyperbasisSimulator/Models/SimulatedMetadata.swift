import HyperbasisCore

/// The metadata of a simulated anchor: values by key, always in the same order.
///
/// ```swift
/// var votes: SimulatedMetadata = ["ben": true, "ada": false]
/// votes["cem"] = true
/// votes.map(\.key)                           // ["ada", "ben", "cem"]
/// votes.count { $0.value.boolValue == true }  // 2
/// ```
///
/// It is no `Dictionary`, since one is in another order in each process: a report made of it would not
/// be the same twice. Keys ascend by their UTF-8 bytes, and differ when their bytes do.
public struct SimulatedMetadata: Equatable, Sendable {
  /// One key with its value.
  public typealias Element = (key: String, value: SimulatedValue)

  /// One of them, as it is compared.
  struct Entry: Equatable, Sendable {
    let key: EngineKey
    var value: SimulatedValue
  }

  /// In ascending order of their keys, each key once.
  private(set) var entries: [Entry] = []

  /// No keys.
  public init() {}

  /// Takes keys and values in any order; of a key that occurs twice the last one counts. O(n²) at worst.
  public init(_ entries: some Sequence<(String, SimulatedValue)>) {
    for (key, value) in entries { self[key] = value }
  }

  init(sorted entries: [Entry]) {
    self.entries = entries
  }

  /// The value of a key; setting nil removes the key. O(log n) to read, O(n) to insert or remove.
  public subscript(key: String) -> SimulatedValue? {
    get {
      let (index, isThere) = place(of: EngineKey(key))
      return isThere ? entries[index].value : nil
    }
    set {
      let (index, isThere) = place(of: EngineKey(key))
      switch (newValue, isThere) {
      case (let value?, true): entries[index].value = value
      case (let value?, false):
        entries.insert(Entry(key: EngineKey(key), value: value), at: index)
      case (nil, true): entries.remove(at: index)
      case (nil, false): break
      }
    }
  }

  /// Where a key is, or would be.
  private func place(of key: EngineKey) -> (index: Int, isThere: Bool) {
    let index = entries.firstIndex(notBelow: { $0.key < key })
    return (index, index < entries.count && entries[index].key == key)
  }
}

extension SimulatedMetadata: RandomAccessCollection {
  /// Always 0.
  public var startIndex: Int { 0 }
  /// How many keys there are.
  public var endIndex: Int { entries.count }
  /// The key and value at a place. O(1). Precondition: the place is below ``endIndex``.
  public subscript(position: Int) -> Element {
    (entries[position].key.text, entries[position].value)
  }
}

extension SimulatedMetadata: ExpressibleByDictionaryLiteral {
  /// Of a key that occurs twice the last one counts.
  public init(dictionaryLiteral elements: (String, SimulatedValue)...) {
    self.init(elements)
  }
}

extension SimulatedMetadata: CustomStringConvertible {
  /// As `{count: 3, name: "x"}`.
  public var description: String { text(depth: 0) }

  /// `depth` is that of the values.
  func text(depth: Int) -> String {
    let entries = map { "\($0.key.printable): \($0.value.text(depth: depth))" }
    return "{" + entries.joined(separator: ", ") + "}"
  }
}
