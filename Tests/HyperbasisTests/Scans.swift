#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The folder of real scans beside the package.
enum Scans {
  static let folder: String? = {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let folder = "/\(root)/../shared/data/roomplan"
    return access(folder + "/scan-a.json", R_OK) == 0 ? folder : nil
  }()

  struct Unreadable: Error {
    let path: String
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    let path = "\(folder ?? "")/scan-\(name).json"
    guard let file = fopen(path, "rb") else { throw Unreadable(path: path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }
}
