#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// Whole files, small ones.
enum Files {
  /// The text of a file; nil when it cannot be read.
  static func read(_ path: String) -> String? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      if count == 0 { break }
      bytes += chunk[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes a file, or ends the program with what hinders it.
  static func write(_ bytes: some Collection<UInt8>, to path: String) {
    guard let file = fopen(path, "wb") else { fail("'\(path)' cannot be written") }
    let all = Array(bytes)
    let count = fwrite(all, 1, all.count, file)
    guard fclose(file) == 0, count == all.count else { fail("'\(path)' cannot be written") }
  }

  static func makeDirectory(_ path: String) {
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else { fail("'\(path)' cannot be made") }
  }
}

/// Ends the program: the call was wrong, or a file is not there.
func fail(_ text: String) -> Never {
  print("RealRun: \(text)")
  exit(2)
}
