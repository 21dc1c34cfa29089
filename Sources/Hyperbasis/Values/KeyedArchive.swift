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
    guard let list = BinaryPropertyList(data),
      list.value(of: "$archiver", in: list.top).flatMap(list.string) == "NSKeyedArchiver",
      let objects = list.value(of: "$objects", in: list.top).flatMap(list.elements),
      let top = list.value(of: "$top", in: list.top),
      let root = list.value(of: "root", in: top).flatMap(list.uid), root < objects.count
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

  /// Whether some object's class is ``ObjectClass/damaged``, or objects lie upon each other, as an
  /// archiver writes none: they could have more entries than anybody can read.
  ///
  /// Complexity: O(n) in the bytes.
  package var hasDamagedClasses: Bool {
    var entriesLeft = list.byteCount
    /// By the index of a description, which many objects share.
    var isSound: [Int: Bool] = [:]
    for object in objects {
      guard let count = list.entryCount(of: object) else { continue }
      guard count <= entriesLeft else { return true }
      entriesLeft -= count
      guard let reference = list.value(of: "$class", in: object) else { continue }
      guard let description = self.description(at: reference) else { return true }
      if isSound[description] == nil {
        guard let count = list.entryCount(of: description), count <= entriesLeft else {
          return true
        }
        entriesLeft -= count
        isSound[description] = name(of: description, upTo: &entriesLeft) != nil
      }
      guard isSound[description]! else { return true }
    }
    return false
  }

  private func objectClass(of object: Int) -> ObjectClass {
    guard let reference = list.value(of: "$class", in: object) else { return .none }
    var bytesLeft = list.byteCount
    guard let description = description(at: reference),
      let name = name(of: description, upTo: &bytesLeft)
    else { return .damaged }
    return .named(name)
  }

  /// The index of a class's description in the property list; nil where the reference leads nowhere.
  private func description(at reference: Int) -> Int? {
    guard let index = list.uid(at: reference), index < objects.count else { return nil }
    return objects[index]
  }

  private func name(of description: Int, upTo bytesLeft: inout Int) -> String? {
    guard let name = list.value(of: "$classname", in: description).flatMap(list.string),
      name.utf8.count <= bytesLeft
    else { return nil }
    bytesLeft -= name.utf8.count
    return name
  }
}
