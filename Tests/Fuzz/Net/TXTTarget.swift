import HyperbasisNet

/// What others announce by DNS-SD, and addresses as people write them: what was read is written and
/// read as the same.
enum TXTTarget: FuzzTarget {
  static let name = "txt"

  static func seeds() throws -> [[UInt8]] {
    let record = try TXTRecord([
      ("v", Array("1".utf8)), ("id", Array("caf\u{E9}".utf8)), ("flag", nil), ("empty", []),
    ])
    let addresses = ["10.0.0.1:7000", "[fe80::1%lo]:7000", "studio.local:7000", "[::1]:1"]
    return [[0] + record.encoded] + addresses.map { [1] + Array($0.utf8) }
  }

  static func run(_ bytes: [UInt8]) throws {
    guard let kind = bytes.first else { return }
    let bytes = Array(bytes.dropFirst())
    if kind % 2 == 0 {
      try runRecord(bytes)
    } else {
      try runEndpoint(bytes)
    }
  }

  private static func runRecord(_ bytes: [UInt8]) throws {
    let record = TXTRecord(reading: bytes)
    try expect(TXTRecord(reading: record.encoded) == record, "a record is read as it was written")
    for entry in record.entries {
      try expect(record.contains(entry.key), "a key is found")
      try expect(record[entry.key] == entry.value, "a key has its own value")
      _ = record.text(entry.key)
    }
  }

  private static func runEndpoint(_ bytes: [UInt8]) throws {
    guard let text = String(validating: bytes, as: UTF8.self),
      let endpoint = try? Endpoint(parsing: text)
    else { return }
    try expect(
      try Endpoint(parsing: "\(endpoint)") == endpoint, "an address is read as it is shown")
  }
}
