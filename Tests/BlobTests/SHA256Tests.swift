import HyperbasisBlob
import HyperbasisCore
import Testing

struct SHA256Tests {
  /// From FIPS 180-2, appendix B, and the empty message.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func publishedHashes(text: String, expected: String) {
    #expect(SHA256.hash(Array(text.utf8)).description == expected)
  }

  @Test func aMillionBytes() {
    #expect(
      SHA256.hash([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)).description
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test func aHashIsItsBytes() throws {
    let hash = SHA256.hash([1, 2, 3])
    #expect(hash.bytes.count == 32)
    #expect(ContentHash(bytes: hash.bytes) == hash)
    #expect(ContentHash(bytes: hash.bytes.dropLast()) == nil)
    #expect(ContentHash(bytes: hash.bytes + [0]) == nil)
  }

  @Test func hashesAreOrderedAsTheirBytes() {
    let hashes = (0..<64).map { SHA256.hash([UInt8($0)]) }
    let byBytes = hashes.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    #expect(hashes.sorted() == byBytes)
  }
}
