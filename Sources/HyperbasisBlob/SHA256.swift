import HyperbasisCore

#if canImport(CryptoKit)
  import CryptoKit  // Not compiled here.
#else
  import COpenSSL
#endif

/// The SHA-256 of bytes, by the system's library.
///
/// ```swift
/// print(SHA256.hash([]))  // e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
/// ```
package enum SHA256 {
  package static func hash(_ bytes: [UInt8]) -> ContentHash {
    bytes.withUnsafeBytes { hash($0) }
  }

  package static func hash(_ bytes: UnsafeRawBufferPointer) -> ContentHash {
    guard let hash = ContentHash(bytes: digest(bytes)) else {
      preconditionFailure("a SHA-256 has \(ContentHash.byteCount) bytes")
    }
    return hash
  }

  #if canImport(CryptoKit)
    // Not compiled here.
    private static func digest(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
      var hasher = CryptoKit.SHA256()
      hasher.update(bufferPointer: bytes)
      return Array(hasher.finalize())
    }
  #else
    private static func digest(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: ContentHash.byteCount) { digest, count in
        let result = EVP_Digest(
          bytes.baseAddress, bytes.count, digest.baseAddress, nil, EVP_sha256(), nil)
        precondition(result == 1, "SHA-256 is there and memory is left")
        count = ContentHash.byteCount
      }
    }
  #endif
}
