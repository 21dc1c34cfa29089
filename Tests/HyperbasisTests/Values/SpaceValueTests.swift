import Foundation
import Synchronization
import Testing

@testable import Hyperbasis

/// Stands for a world map.
final class ScanMap: NSObject, NSSecureCoding, @unchecked Sendable {
  static let supportsSecureCoding = true
  let points: Data

  init(points: [UInt8]) {
    self.points = Data(points)
  }

  init?(coder: NSCoder) {
    guard let points = coder.decodeObject(of: NSData.self, forKey: "points") else { return nil }
    self.points = points as Data
  }

  func encode(with coder: NSCoder) {
    coder.encode(points as NSData, forKey: "points")
  }
}

/// A map in a store that counts how often it is read.
final class CountedMap: StoredWorldMap {
  struct Gone: Error, Equatable {}

  let hash: [UInt8]
  let byteCount: Int
  private let data: Data?
  private let readings = Atomic(0)

  init(_ data: Data?, byteCount: Int? = nil, hash: [UInt8] = [1]) {
    self.data = data
    self.hash = hash
    self.byteCount = byteCount ?? data?.count ?? 0
  }

  var loads: Int { readings.load(ordering: .relaxed) }

  func load() throws -> Data {
    readings.add(1, ordering: .relaxed)
    guard let data else { throw Gone() }
    return data
  }
}

struct SpaceValueTests {
  private let scope = EditScope()

  private func stored(_ map: CountedMap, id: UUID = UUID()) -> HBSpace {
    let date = Date(timeIntervalSince1970: 1)
    return HBSpace(
      stored: id, name: "Kitchen", worldMap: .stored(map), createdAt: date, updatedAt: date,
      from: scope)
  }

  // MARK: World maps

  @Test func aWorldMapIsReadAsItWasSaved() throws {
    var space = try HBSpace(name: "Kitchen", worldMap: ScanMap(points: [1, 2, 3]))
    #expect(space.name == "Kitchen")
    #expect(try space.worldMap(as: ScanMap.self).points == Data([1, 2, 3]))
    #expect(space.validate())
    space.updatedAt = .distantPast
    try space.update(worldMap: ScanMap(points: [4]))
    #expect(try space.worldMap(as: ScanMap.self).points == Data([4]))
    #expect(space.updatedAt > space.createdAt)
    #expect(space.edits.worldMap.isUnsaved(in: scope))
    let map: ScanMap = try HBSpace.deserialize(
      worldMapData: try HBSpace.serialize(worldMap: ScanMap(points: [5])))
    #expect(map.points == Data([5]))
  }

  /// Defect: `invalidWorldMapData` was declared, and nothing threw it.
  @Test(arguments: [[], [0], Array("bplist00".utf8), Array("<plist/>".utf8)])
  func dataThatAreNoArchiveAreInvalid(_ bytes: [UInt8]) {
    let space = HBSpace(worldMapData: Data(bytes))
    let error = #expect(throws: HBSpaceError.self) { try space.worldMap(as: ScanMap.self) }
    guard case .invalidWorldMapData? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!space.validate())
  }

  /// Foundation on Linux ends the process for a root object of another class.
  @Test func anArchiveOfSomethingElseIsNoWorldMap() throws {
    let others = [NSString("map"), NSArray(array: [1]), NSData(data: Data([1])), NSNull()]
    for other in others as [NSObject] {
      let archive = try NSKeyedArchiver.archivedData(
        withRootObject: other, requiringSecureCoding: true)
      let space = HBSpace(worldMapData: archive)
      #expect(space.validate(), "what is in an archive is not decoded")
      let error = #expect(throws: HBSpaceError.self) { try space.worldMap(as: ScanMap.self) }
      guard case .deserializationFailed? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
  }

  @Test func aReferenceToNoClassIsRefused() throws {
    // The class of the root object becomes the first object, which is the text "$null".
    let data = try HBSpace.serialize(worldMap: ScanMap(points: [1]))
    var refused = 0
    for index in data.indices where data[index] == 0x80 && data[index + 1] > 0 {
      var damaged = data
      damaged[index + 1] = 0
      do {
        _ = try HBSpace(worldMapData: damaged).worldMap(as: ScanMap.self)
      } catch HBSpaceError.deserializationFailed {
        refused += 1
      }
    }
    #expect(refused > 0)
  }

  /// Defect: `validate()` decoded the whole map.
  @Test func validatingDoesNotDecodeTheMap() throws {
    // The root object cannot be decoded, since it is of no known class.
    let data = try HBSpace.serialize(worldMap: ScanMap(points: [1]))
    let name = NSStringFromClass(ScanMap.self)
    let renamed = String(name.dropLast()) + "X"
    var unknown = data
    while let text = unknown.range(of: Data(name.utf8)) {
      unknown.replaceSubrange(text, with: Data(renamed.utf8))
    }
    let space = HBSpace(worldMapData: unknown)
    #expect(space.validate())
    #expect(throws: HBSpaceError.self) { try space.worldMap(as: ScanMap.self) }
  }

  // MARK: Maps in a store

  /// Defect: loading all spaces read every world map.
  @Test func aStoredMapIsReadOnlyWhenItIsUsed() throws {
    let map = CountedMap(try HBSpace.serialize(worldMap: ScanMap(points: [7])))
    var space = stored(map)
    let same = stored(map, id: space.id)
    _ = space.worldMapSizeFormatted
    space.name = "Hall"
    space.name = "Kitchen"
    #expect(space.worldMapSize == map.byteCount)
    #expect(space == same && space.hashValue == same.hashValue)
    #expect(map.loads == 0)
    #expect(try space.worldMap(as: ScanMap.self).points == Data([7]))
    #expect(map.loads == 1)
    #expect(space.worldMapData.count == map.byteCount)
    space.worldMapData = Data([1])
    #expect(map.loads == 2, "another size is another map, unread")
    #expect(space.worldMapData == Data([1]) && space.worldMapSize == 1)
  }

  @Test func storedMapsAreComparedByTheirHashes() {
    let id = UUID()
    let space = stored(CountedMap(Data([1, 2])), id: id)
    #expect(space == stored(CountedMap(nil, byteCount: 2), id: id))
    #expect(space != stored(CountedMap(Data([1, 2]), hash: [2]), id: id))
    #expect(space != stored(CountedMap(Data([1])), id: id))
    var read = space
    read.worldMapData = Data([1, 2])
    #expect(!read.edits.hasUnsaved(in: scope), "the same bytes")
    #expect(read == space)
    read.worldMapData = Data([1, 3])
    #expect(read != space)
    #expect(read.edits.worldMap.isUnsaved(in: scope))
  }

  @Test func aMapThatCannotBeReadIsEmptyAndTheErrorIsToBeHad() {
    let space = stored(CountedMap(nil, byteCount: 5))
    #expect(space.worldMapData == Data())
    #expect(space.worldMapSize == 5)
    #expect(!space.validate())
    #expect(throws: CountedMap.Gone.self) { try space.loadWorldMapData() }
    #expect(throws: CountedMap.Gone.self) { try space.worldMap(as: ScanMap.self) }
    #expect(throws: CountedMap.Gone.self) { try JSONEncoder().encode(space) }
  }

  // MARK: Values

  /// Defect: two clock readings made `updatedAt` a hair later than `createdAt`.
  @Test func aNewSpaceIsUpdatedWhenItIsCreated() throws {
    let before = Date()
    for _ in 0..<100 {
      for space in [HBSpace(), try HBSpace(worldMap: ScanMap(points: []))] {
        #expect(space.createdAt == space.updatedAt)
        #expect(before <= space.createdAt && space.createdAt <= Date())
      }
    }
  }

  /// Defect: without ARKit all five arguments had to be given.
  @Test func aSpaceNeedsNoWorldMap() throws {
    var space = HBSpace(name: "Hall")
    #expect(space.worldMapData.isEmpty && space.worldMapSize == 0)
    space.update(name: "Kitchen")
    #expect(space.name == "Kitchen" && space.updatedAt >= space.createdAt)
    let one = Date(timeIntervalSince1970: 1)
    let two = Date(timeIntervalSince1970: 2)
    let id = UUID()
    let whole = HBSpace(
      id: id, name: nil, worldMapData: Data([1]), createdAt: one, updatedAt: two)
    #expect(whole.id == id && whole.createdAt == one && whole.updatedAt == two)
    #expect(HBSpace(createdAt: one).updatedAt == one)
    #expect(HBSpace(updatedAt: two).createdAt == two)
  }

  @Test func aSpaceIsCodedWithTheSDKsKeys() throws {
    let space = stored(CountedMap(Data([1, 2, 3])))
    let data = try JSONEncoder().encode(space)
    let fields = try JSONDecoder().decode([String: AnyCodableValue].self, from: data)
    #expect(Set(fields.keys) == ["id", "name", "worldMapData", "createdAt", "updatedAt"])
    #expect(fields["worldMapData"] == "AQID")
    #expect(try JSONDecoder().decode(HBSpace.self, from: data) == space)
    let bare = #"{"id":"\#(UUID())","createdAt":0,"updatedAt":1}"#
    let read = try JSONDecoder().decode(HBSpace.self, from: Data(bare.utf8))
    #expect(read.name == nil && read.worldMapSize == 0)
  }

  @Test func sizesAreWords() {
    let text = HBSpace(worldMapData: Data(count: 2_000_000)).worldMapSizeFormatted
    #expect(text.contains("2") && text.contains("MB"))
  }

  @Test func errorsSayWhatToDo() {
    let underlying = HBSpaceError.invalidWorldMapData
    #expect(
      HBSpaceError.deserializationFailed(underlying: nil).localizedDescription
        == "the world map's archive is damaged or holds something else; capture the map again")
    #expect(
      HBSpaceError.serializationFailed(underlying: underlying).localizedDescription
        == "the world map cannot be archived: the space has no world map, or data that are none; "
        + "capture the map and save it")
  }
}

struct KeyedArchiveTests {
  private let data = try! NSKeyedArchiver.archivedData(
    withRootObject: NSArray(array: (0..<300).map { "object \($0) é" }), requiringSecureCoding: true)

  @Test func theClassOfTheRootIsRead() throws {
    let archive = try #require(KeyedArchive(data))
    #expect(archive.rootClass == .named("NSArray"))
    #expect(!archive.hasDamagedClasses)
    let plain = try NSKeyedArchiver.archivedData(
      withRootObject: NSString("a"), requiringSecureCoding: true)
    #expect(try #require(KeyedArchive(plain)).rootClass == .none)
  }

  @Test func aSliceIsReadAsItsBytes() throws {
    let slice = (Data([9, 9, 9]) + data).dropFirst(3)
    #expect(slice.startIndex == 3)
    #expect(KeyedArchive(slice)?.rootClass == .named("NSArray"))
  }

  @Test func otherPropertyListsAreNoArchives() throws {
    let list = try PropertyListSerialization.data(
      fromPropertyList: ["$objects": ["a"], "$top": ["root": 0]], format: .binary, options: 0)
    #expect(KeyedArchive(list) == nil)
  }

  /// Found by fuzzing: each object was read with all its entries, and each key as long as it is.
  @Test(.timeLimit(.minutes(1)))
  func objectsThatLieUponEachOtherAreDamage() throws {
    let archive = try #require(KeyedArchive(overlapping(20_000)))
    #expect(archive.hasDamagedClasses)
  }

  /// An archive of so many objects, of which each is one dictionary with as many entries, of which each
  /// has one key of as many letters.
  private func overlapping(_ count: Int) -> Data {
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    func add(_ object: [UInt8]) -> Int {
      offsets.append(bytes.count)
      bytes += object
      return offsets.count - 1
    }
    func number(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)] }
    func text(_ text: String) -> [UInt8] { [0x5F, 0x11] + number(text.utf8.count) + text.utf8 }
    let key = add(text(String(repeating: "k", count: count)))
    let entries = add(
      [0xDF, 0x11] + number(count) + (0..<2 * count).flatMap { _ in number(key) })
    let objects = add([0xAF, 0x11] + number(count) + (0..<count).flatMap { _ in number(entries) })
    let (root, uid) = (add(text("root")), add([0x80, 0]))
    let top = add([0xD1] + number(root) + number(uid))
    let names = ["$archiver", "$top", "$objects"].map { add(text($0)) }
    let values = [add(text("NSKeyedArchiver")), top, objects]
    let whole = add([0xD3] + (names + values).flatMap(number))
    let table = bytes.count
    for offset in offsets { bytes += [UInt8(offset >> 16)] + number(offset) }
    bytes += [0, 0, 0, 0, 0, 0, 3, 2]
    for value in [offsets.count, whole, table] {
      bytes += [0, 0, 0, 0, 0] + [UInt8(value >> 16)] + number(value)
    }
    return Data(bytes)
  }

  @Test func damagedBytesNeverTrap() {
    var random = SplitMix(seed: 4)
    for _ in 0..<3_000 {
      var damaged = data
      for _ in 0...random.next() % 3 {
        // Half of the damage is in the trailer and the table.
        let near = random.next() % 2 == 0 ? 48 : UInt64(data.count)
        damaged[data.count - 1 - Int(random.next() % near)] = UInt8(
          truncatingIfNeeded: random.next() % 3 == 0 ? 0xFF : random.next())
      }
      if let archive = KeyedArchive(damaged) { _ = archive.hasDamagedClasses }
    }
  }
}
