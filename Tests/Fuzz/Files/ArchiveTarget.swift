import Foundation
import Hyperbasis

/// Keyed archives, as apps and peers give them for world maps: their outline is read, in a time that
/// grows with their bytes.
enum ArchiveTarget: FuzzTarget {
  static let name = "archive"

  static func seeds() throws -> [[UInt8]] {
    let objects: [NSObject] = [
      NSString(string: "map"),
      NSDictionary(dictionary: ["a": NSNumber(value: 1), "b": NSArray(array: ["caf\u{E9}"])]),
      NSArray(array: (0..<40).map { NSNumber(value: $0) }),
    ]
    return try objects.map { object in
      Array(
        try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true))
    }
  }

  static func run(_ bytes: [UInt8]) throws {
    guard let archive = KeyedArchive(Data(bytes)) else { return }
    // Of a class that is damaged the archive says so.
    if archive.rootClass == .damaged {
      try expect(archive.hasDamagedClasses, "the root object is one of the objects")
    }
    _ = archive.hasDamagedClasses
  }
}
