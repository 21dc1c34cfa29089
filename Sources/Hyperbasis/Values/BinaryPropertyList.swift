import Foundation

/// The structure of a binary property list, read where it is asked for.
///
/// It ends with a trailer of 32 bytes: the sizes of offsets (byte 6) and of references (7), then in
/// 8 bytes each, most significant first, the count of objects, the top object and where the table
/// of offsets begins. Each object begins with a byte that tells its kind and count (CFBinaryPList.c).
/// No question traps, whatever the bytes: what is damaged is nil.
struct BinaryPropertyList {
  private let data: Data
  private let offsetSize: Int
  private let referenceSize: Int
  private let objectCount: Int
  private let table: Int
  /// The index of the top object.
  let top: Int

  /// Reads the trailer alone; nil for what is no binary property list.
  init?(_ data: Data) {
    let trailer = data.count - 32
    guard trailer >= 8, data.starts(with: Array("bplist00".utf8)) else { return nil }
    self.data = data
    offsetSize = Int(data[data.startIndex + trailer + 6])
    referenceSize = Int(data[data.startIndex + trailer + 7])
    guard let count = data.integer(at: trailer + 8, size: 8),
      let top = data.integer(at: trailer + 16, size: 8),
      let table = data.integer(at: trailer + 24, size: 8),
      1...8 ~= offsetSize, 1...8 ~= referenceSize, table <= trailer,
      count <= (trailer - table) / offsetSize
    else { return nil }
    objectCount = count
    self.table = table
    self.top = top
  }

  var byteCount: Int { data.count }

  private enum Kind {
    static let uid = 0x8
    static let ascii = 0x5
    static let utf16 = 0x6
    static let array = 0xA
    static let dictionary = 0xD
  }

  /// Where an object's bytes begin behind its marker, its kind and the lower half of the marker.
  private func object(_ index: Int) -> (start: Int, kind: Int, low: Int)? {
    guard index < objectCount,
      let offset = data.integer(at: table + index * offsetSize, size: offsetSize),
      offset < table, let marker = data.integer(at: offset, size: 1)
    else { return nil }
    return (offset + 1, marker >> 4, marker & 0xF)
  }

  /// As ``object(_:)``, with the count of what has one; counts from 15 follow as an integer.
  private func counted(_ index: Int, _ kind: Int) -> (start: Int, count: Int)? {
    guard let object = object(index), object.kind == kind else { return nil }
    guard object.low == 0xF else { return (object.start, object.low) }
    guard let marker = data.integer(at: object.start, size: 1), marker >> 4 == 0x1,
      marker & 0xF <= 3
    else { return nil }
    let size = 1 << (marker & 0xF)
    guard let count = data.integer(at: object.start + 1, size: size) else { return nil }
    return (object.start + 1 + size, count)
  }

  /// The number of a reference within a keyed archive.
  func uid(at index: Int) -> Int? {
    guard let object = object(index), object.kind == Kind.uid else { return nil }
    return data.integer(at: object.start, size: object.low + 1)
  }

  func string(at index: Int) -> String? {
    if let (start, count) = counted(index, Kind.ascii) {
      return data.bytes(from: start, count: count).map { String(decoding: $0, as: UTF8.self) }
    }
    guard let (start, count) = counted(index, Kind.utf16), count < data.count,
      let bytes = data.bytes(from: start, count: count * 2)
    else { return nil }
    return String(data: bytes, encoding: .utf16BigEndian)
  }

  func elements(at index: Int) -> [Int]? {
    guard let (start, count) = counted(index, Kind.array) else { return nil }
    return references(from: start, count: count)
  }

  /// What a dictionary has for a key, the first where it is there twice; nil without it, and for what
  /// is no dictionary. O(n) in the entries, however long their keys are.
  func value(of key: StaticString, in index: Int) -> Int? {
    guard let (start, count) = counted(index, Kind.dictionary), count < data.count,
      let references = references(from: start, count: count * 2),
      let entry = (0..<count).first(where: { isString(references[$0], key) })
    else { return nil }
    return references[count + entry]
  }

  /// The number of entries of a dictionary; nil for what is none.
  func entryCount(of index: Int) -> Int? {
    counted(index, Kind.dictionary)?.count
  }

  /// Whether an object is this string of ASCII.
  private func isString(_ index: Int, _ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    let bytes = UnsafeBufferPointer(start: text.utf8Start, count: count)
    if let (start, found) = counted(index, Kind.ascii), found == count {
      return data.bytes(from: start, count: count)?.elementsEqual(bytes) ?? false
    }
    guard let (_, found) = counted(index, Kind.utf16), found == count else { return false }
    return string(at: index)?.utf8.elementsEqual(bytes) ?? false
  }

  private func references(from start: Int, count: Int) -> [Int]? {
    guard count <= data.count / referenceSize,
      data.bytes(from: start, count: count * referenceSize) != nil
    else { return nil }
    return (0..<count).map {
      data.integer(at: start + $0 * referenceSize, size: referenceSize) ?? objectCount
    }
  }
}

extension Data {
  /// A big-endian number at an offset; nil beyond the end, or where it does not fit an `Int`.
  fileprivate func integer(at offset: Int, size: Int) -> Int? {
    guard let bytes = bytes(from: offset, count: size) else { return nil }
    var number: UInt64 = 0
    for byte in bytes {
      guard number >> 56 == 0 else { return nil }
      number = number << 8 | UInt64(byte)
    }
    return Int(exactly: number)
  }

  fileprivate func bytes(from offset: Int, count: Int) -> Data? {
    guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else {
      return nil
    }
    return self[startIndex + offset..<startIndex + offset + count]
  }
}
