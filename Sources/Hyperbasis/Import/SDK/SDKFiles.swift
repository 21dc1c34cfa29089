import HyperbasisCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// Reads the files of one directory, never writes, and follows no symbolic link below it.
struct SDKFiles: Sendable {
  private let root: String

  /// - Throws: `SDKDirectoryError` when the path is no directory with a folder of the SDK.
  init(path: String) throws(SDKDirectoryError) {
    root = path
    do throws(SDKFileError) {
      _ = try SDKFiles.names(inFolderAt: path)
    } catch {
      throw .unreadable(path: path, reason: error.description)
    }
    guard SDKFolder.allCases.contains(where: { exists($0.rawValue) }) else {
      throw .unrecognised(path: path)
    }
  }

  /// Whether something of this name is there, of whatever kind.
  func exists(_ file: String) -> Bool {
    var information = stat()
    return lstat("\(root)/\(file)", &information) == 0
  }

  /// The names in a folder in the order of their bytes, without the hidden ones.
  func names(in folder: String) throws(SDKFileError) -> [String] {
    var information = stat()
    guard lstat("\(root)/\(folder)", &information) == 0 else { throw SDKFileError(errno) }
    guard information.st_mode & S_IFMT != S_IFLNK else { throw .symbolicLink }
    return try SDKFiles.names(inFolderAt: "\(root)/\(folder)")
  }

  /// The bytes of a file.
  func bytes(of file: String, most: Int) throws(SDKFileError) -> [UInt8] {
    // Without O_NONBLOCK the opening of a pipe would wait for a writer.
    let descriptor = open("\(root)/\(file)", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw SDKFileError(errno) }
    defer { close(descriptor) }
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { throw SDKFileError(errno) }
    guard information.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
    guard information.st_size <= most else { throw .tooLarge(Int(information.st_size), most: most) }
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(information.st_size)) { buffer, count in
      while count < buffer.count {
        let rest = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
        let result = read(descriptor, rest.baseAddress, rest.count)
        if result == 0 { break }
        if result > 0 {
          count += result
        } else if errno != EINTR {
          failure = errno
          break
        }
      }
    }
    guard failure == 0 else { throw SDKFileError(failure) }
    return bytes
  }

  /// The object that a JSON file holds.
  func object(of file: String) throws -> Value.Object {
    let bytes = try bytes(of: file, most: InputLimits.fileBytes)
    // A world map can be one string of such a file.
    let value = try JSON.parse(bytes, stringBytes: InputLimits.fileBytes)
    guard case .object(let object) = value else {
      throw ImportError.item("it", .wrongKind(expected: "an object", found: value.kindName))
    }
    return object
  }

  private static func names(inFolderAt path: String) throws(SDKFileError) -> [String] {
    guard let folder = opendir(path) else { throw SDKFileError(errno) }
    defer { closedir(folder) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.utf8.first != UInt8(ascii: ".") { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw SDKFileError(errno) }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

/// Why a file or folder was not read.
enum SDKFileError: Error, Equatable {
  case symbolicLink
  case notAFile
  case tooLarge(Int, most: Int)
  case failed(String)

  init(_ code: Int32) {
    self = code == ELOOP ? .symbolicLink : .failed(String(cString: strerror(code)))
  }
}

extension SDKFileError: CustomStringConvertible {
  var description: String {
    switch self {
    case .symbolicLink: "it is a symbolic link, and those are not followed"
    case .notAFile: "it is not a file"
    case .tooLarge(let bytes, let most): "it has \(bytes) bytes, at most \(most) are allowed"
    case .failed(let reason): reason
    }
  }
}
