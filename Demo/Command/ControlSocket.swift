import Foundation
import Hyperbasis
import HyperbasisCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// A Unix socket by which commands reach the peer that has a store open.
///
/// A request is one line of JSON; the answer is `+` and the text for each line of output, then a line
/// `.` when all is done, or `-` and the reason when it failed. Lines `~` before that say that a long
/// request is still being carried out. `!` says that the peer ends and did not begin with the request.
enum ControlSocket {
  /// Bytes of a socket path, the final zero not counted; Apple's limit, the smaller one.
  static let pathBytes = 103
  /// Bytes of one request or answer line: an import travels in one.
  static let lineBytes = 536_870_912
  /// Seconds that a client waits for an answer.
  static let answerSeconds = 60

  /// Seconds between two signs of life while a long request is carried out.
  static let signSeconds = 20
  /// Seconds that a peer which ends waits for the requests underway.
  static let drainSeconds = 5

  /// The first character of an answer's line.
  enum Mark {
    static let waiting = UInt8(ascii: "~")
    static let output = UInt8(ascii: "+")
    static let done = UInt8(ascii: ".")
    static let failed = UInt8(ascii: "-")
    static let unbegun = UInt8(ascii: "!")
  }

  /// The socket of a store: in the store, or under a name of its own in the temporary directory when
  /// that path would be too long for the system. However the store's path is spelled, it is the same.
  ///
  /// - Throws: `CommandError` when the temporary directory is not this user's alone.
  static func path(ofStore store: String) throws(CommandError) -> String {
    let real = realPath(store)
    let inStore = real + "/control.sock"
    guard inStore.utf8.count > pathBytes else { return inStore }
    let directory = "/tmp/hyperbasis-\(getuid())"
    mkdir(directory, 0o700)
    var information = stat()
    guard lstat(directory, &information) == 0, information.st_mode & S_IFMT == S_IFDIR,
      information.st_uid == getuid(), information.st_mode & 0o077 == 0
    else {
      throw CommandError("'\(directory)' does not belong to this user alone; remove it")
    }
    return directory + "/\(Digest(of: Array(real.utf8))).sock"
  }

  /// The path without links; as it is when nothing is there.
  private static func realPath(_ path: String) -> String {
    guard let pointer = realpath(path, nil) else { return path }
    defer { free(pointer) }
    return String(cString: pointer)
  }

  /// Calls `body` with the address of a path.
  ///
  /// Precondition: the path has at most `pathBytes` bytes.
  static func withAddress<Result>(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    precondition(path.utf8.count <= pathBytes, "a socket path that fits")
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  static func make() -> Int32 {
    #if canImport(Glibc)
      socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    #else
      socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
  }
}

/// Reads and writes lines on one connection, which it owns.
///
/// Safe because: it is handed from the thread that accepted it to the one that serves it; only
/// ``endReading()`` may be called on any thread.
final class LineConnection: @unchecked Sendable {
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var searched = 0

  init(owning descriptor: Int32, timeoutSeconds: Int) {
    self.descriptor = descriptor
    var timeout = timeval()
    timeout.tv_sec = timeoutSeconds
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, size)
  }

  deinit {
    close(descriptor)
  }

  /// Has the reader find the end once it read what is there.
  func endReading() {
    shutdown(descriptor, Int32(SHUT_RD))
  }

  /// The next line without its end; nil at the end, after the time limit, or for one too long.
  func readLine() -> [UInt8]? {
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(buffer[..<end])
        buffer.removeFirst(end + 1)
        searched = 0
        return line
      }
      searched = buffer.count
      guard buffer.count <= ControlSocket.lineBytes else { return nil }
      var chunk = [UInt8](repeating: 0, count: 65_536)
      let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return nil }
      buffer.append(contentsOf: chunk[..<count])
    }
  }

  /// Writes a line of an answer; false when the other side is gone.
  func write(_ mark: UInt8, _ text: String) -> Bool {
    write(line: [mark] + Array(text.utf8))
  }

  /// False when the other side is gone.
  func write(line: some Sequence<UInt8>) -> Bool {
    let bytes = Array(line) + [UInt8(ascii: "\n")]
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, LineConnection.noSignal)
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  #if canImport(Glibc)
    private static let noSignal = Int32(MSG_NOSIGNAL)
  #else
    private static let noSignal: Int32 = 0  // The command ignores SIGPIPE.
  #endif
}
