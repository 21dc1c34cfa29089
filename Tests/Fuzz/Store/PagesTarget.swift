import HyperbasisStore

/// The file of a store with any bytes written over it, opened in memory and asked for everything.
///
/// The first byte says which file it is, as it was or brought up from an older format, and whether it is
/// written to as well; patches follow, as ``FilePatch`` takes them.
enum PagesTarget: FuzzTarget {
  static let name = "database-pages"

  static func seeds() -> [[UInt8]] {
    var seeds: [[UInt8]] = []
    for file in 0..<UInt8(bases.count) + 1 {
      let file = file < bases.count ? file : old
      seeds += [[file], [file | writes]]
      // A page's header, the schema, and the middle of the first cells of some pages.
      for offset in [16, 100, 3_000, 4_096, 4_100, 8_000, 12_200] {
        seeds.append([file] + FilePatch.input(at: offset, [0, 1, 2, 3]))
      }
    }
    return seeds
  }

  static func run(_ bytes: [UInt8]) throws {
    var feed = Feed(bytes)
    let first = feed.byte()
    let base = bases[Int(first) % bases.count]
    var file = first & ~writes == old ? GoldenStores.files[0] : base.bytes
    while !feed.isEmpty { FilePatch(&feed).apply(to: &file) }
    let store: Store
    do { store = try base.open(file) } catch is StoreError { return }
    let loaded = try StoreQuestions.ask(store)
    if first & writes != 0 { StoreQuestions.write(loaded, to: store) }
  }

  /// The bit of the first byte that asks for writing.
  private static let writes: UInt8 = 0x80
  /// The rest of it for a file of an older format, which the opening brings up: one value of many, since that
  /// takes several times as long.
  private static let old: UInt8 = 0x40

  /// Safe because targets run on one thread.
  nonisolated(unsafe) private static let bases = try! (GoldenStores.files + SmallStores.all())
    .map(StoreFile.init)
}

/// Bytes that are written over those of a file.
struct FilePatch {
  private let offset: Int
  private let bytes: [UInt8]

  /// Takes an offset in two bytes, a count in one, and so many bytes. A count of 0 cuts the file there.
  init(_ feed: inout Feed) {
    offset = feed.short()
    bytes = feed.take(Int(feed.byte()))
  }

  /// The input of a patch.
  static func input(at offset: Int, _ bytes: [UInt8]) -> [UInt8] {
    var writer = FeedWriter()
    writer.short(offset)
    writer.byte(UInt8(bytes.count))
    return writer.bytes + bytes
  }

  func apply(to file: inout [UInt8]) {
    if bytes.isEmpty {
      file.removeLast(max(0, file.count - max(1, offset)))
    } else {
      for (index, byte) in bytes.enumerated() where offset + index < file.count {
        file[offset + index] = byte
      }
    }
  }
}
