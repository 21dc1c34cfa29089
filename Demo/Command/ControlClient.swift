import Foundation
import Hyperbasis
import HyperbasisCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// Carries out requests where the store is: at the peer that runs on it, or here.
enum Client {
  /// Seconds during which a store that another command has open is tried again.
  private static let patienceSeconds = 5.0

  /// - Throws: `CommandError`.
  static func perform(_ request: Request, store: String) throws(CommandError) -> [String] {
    let deadline = Date(timeIntervalSinceNow: patienceSeconds)
    while true {
      if let connection = try connect(store: store) {
        return try ask(request, on: connection)
      }
      if !request.makesStore && access(store, F_OK) != 0 && errno == ENOENT {
        throw CommandError(
          "there is no store at '\(store)'; 'hyperbasis space create NAME' makes one")
      }
      do {
        let peer = try HBPeer(HBPeerConfiguration(directory: store, name: PeerOptions.hostName))
        defer { peer.stop() }
        return try Executor(peer: peer, isRunning: false).perform(request)
      } catch let error as HBPeerError {
        guard case .storeInUse = error, Date() < deadline else {
          throw CommandError(error.description)
        }
        usleep(20_000)
      } catch let error as CommandError {
        throw error
      } catch {
        throw CommandError("\(error)")
      }
    }
  }

  private static func connect(store: String) throws(CommandError) -> LineConnection? {
    let path = try ControlSocket.path(ofStore: store)
    let descriptor = ControlSocket.make()
    guard descriptor >= 0 else {
      throw CommandError("no socket can be made: \(String(cString: strerror(errno)))")
    }
    let isConnected = ControlSocket.withAddress(path) {
      #if canImport(Glibc)
        Glibc.connect(descriptor, $0, $1) == 0
      #else
        Darwin.connect(descriptor, $0, $1) == 0
      #endif
    }
    guard isConnected else {
      close(descriptor)
      return nil
    }
    return LineConnection(owning: descriptor, timeoutSeconds: ControlSocket.answerSeconds)
  }

  private static func ask(
    _ request: Request, on connection: LineConnection
  ) throws(CommandError) -> [String] {
    guard let encoded = try? JSONEncoder().encode(request), connection.write(line: encoded) else {
      throw CommandError("the running peer went away; try again")
    }
    var lines: [String] = []
    while let bytes = connection.readLine() {
      let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
      switch bytes.first {
      case ControlSocket.Mark.output: lines.append(text)
      case ControlSocket.Mark.done: return lines
      case ControlSocket.Mark.failed: throw CommandError(text)
      default: throw CommandError("the running peer answers in another way; use one version")
      }
    }
    throw CommandError(
      "the running peer did not answer within \(ControlSocket.answerSeconds) s; see whether it "
        + "still runs, and whether it did what was asked")
  }
}
