import Foundation

/// The outline of a binary keyed archive, as far as it must be known before it is decoded.
///
/// The top object is a dictionary with `$archiver`, `$top`, which refers to the root object, and
/// `$objects`. An object that is no plain value is a dictionary whose `$class` refers to another
/// one, with `$classname`.
package struct KeyedArchive {
  private let list: BinaryPropertyList
  /// Where the elements of `$objects` are in the property list.
  private let objects: [Int]
  /// The index of the root object within `$objects`.
  private let root: Int

  /// Finds the root object; nil for what is no binary keyed archive.
  ///
  /// Complexity: O(n) in the count of objects; their contents are not read.
  package init?(_ data: Data) {
    guard let list = BinaryPropertyList(data), let entries = list.entries(of: list.top),
      entries["$archiver"].flatMap(list.string) == "NSKeyedArchiver",
      let objects = entries["$objects"].flatMap(list.elements),
      let top = entries["$top"].flatMap(list.entries),
      let root = top[NSKeyedArchiveRootObjectKey].flatMap(list.uid), root < objects.count
    else { return nil }
    self.list = list
    self.objects = objects
    self.root = root
  }

  /// What an object says of its class.
  package enum ObjectClass: Equatable {
    /// A plain value, as a string is one.
    case none
    case named(String)
    /// Its reference leads nowhere.
    case damaged
  }

  package var rootClass: ObjectClass { objectClass(of: objects[root]) }

  /// Whether some object's class is ``ObjectClass/damaged``.
  ///
  /// Complexity: O(n) in the objects and their entries.
  package var hasDamagedClasses: Bool {
    objects.contains { objectClass(of: $0) == .damaged }
  }

  private func objectClass(of object: Int) -> ObjectClass {
    guard let reference = list.entries(of: object)?["$class"] else { return .none }
    guard let index = list.uid(at: reference), index < objects.count,
      let description = list.entries(of: objects[index]),
      let name = description["$classname"].flatMap(list.string)
    else { return .damaged }
    return .named(name)
  }
}
