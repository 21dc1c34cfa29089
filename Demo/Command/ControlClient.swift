import Foundation
import Hyperbasis
import HyperbasisCore
import HyperbasisStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// Carries out requests where the store is: at the peer that runs on it, or here.
enum Client {
  /// Seconds during which a store that another command has open is tried again.
  static let patienceSeconds = 5.0

  /// - Throws: `CommandError`.
  static func perform(_ request: Request, store: String) throws(CommandError) -> [String] {
    let deadline = Date(timeIntervalSinceNow: patienceSeconds)
    while true {
      if let connection = try connect(store: store) {
        switch try ask(request, on: connection) {
        case .lines(let lines): return lines
        case .unbegun:
          guard Date() < deadline else { throw CommandError("the running peer does not end") }
          usleep(20_000)
        case .ended:
          // A question can be asked again; whether an edit was made is open.
          guard !request.writes, Date() < deadline else {
            throw CommandError("the running peer went away; see whether it did what was asked")
          }
        }
        continue
      }
      if !request.makesStore && access(store, F_OK) != 0 && errno == ENOENT {
        throw CommandError(
          "there is no store at '\(store)'; 'hyperbasis space create NAME' makes one")
      }
      do {
        let peer = try LocalPeer(PeerConfiguration(directory: store, name: PeerOptions.hostName))
        defer { peer.stop() }
        return try Executor(peer: peer, isRunning: false).perform(request)
      } catch let error as PeerError {
        guard case .store(.inUse) = error, Date() < deadline else {
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

  /// Whether a peer runs on the store.
  static func isAnswered(store: String) -> Bool {
    (try? connect(store: store)) != nil
  }

  private static func connect(store: String) throws(CommandError) -> LineConnection? {
    let path = try ControlSocket.path(ofStore: store)
    let descriptor = ControlSocket.make()
    guard descriptor >= 0 else {
      throw CommandError("no socket can be made: \(String(cString: strerror(errno)))")
    }
    // Before connecting, which waits as well when a peer is stopped and its queue is full.
    let connection = LineConnection(
      owning: descriptor, timeoutSeconds: ControlSocket.answerSeconds)
    let isConnected = ControlSocket.withAddress(path) {
      #if canImport(Glibc)
        Glibc.connect(descriptor, $0, $1) == 0
      #else
        Darwin.connect(descriptor, $0, $1) == 0
      #endif
    }
    return isConnected ? connection : nil
  }

  /// What a running peer answered.
  private enum Answer {
    case lines([String])
    /// The peer ends and did not begin with the request.
    case unbegun
    /// The connection ended before the answer.
    case ended
  }

  private static func ask(
    _ request: Request, on connection: LineConnection
  ) throws(CommandError) -> Answer {
    guard let encoded = try? JSONEncoder().encode(request), connection.write(line: encoded) else {
      // The end of the line did not get there.
      return .unbegun
    }
    var lines: [String] = []
    var heard = Date()
    while let bytes = connection.readLine() {
      let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
      switch bytes.first {
      case ControlSocket.Mark.waiting: heard = Date()
      case ControlSocket.Mark.output: lines.append(text)
      case ControlSocket.Mark.done: return .lines(lines)
      case ControlSocket.Mark.unbegun: return .unbegun
      case ControlSocket.Mark.failed: throw CommandError(text)
      default: throw CommandError("the running peer answers in another way; use one version")
      }
    }
    guard -heard.timeIntervalSinceNow >= Double(ControlSocket.answerSeconds) else { return .ended }
    throw CommandError(
      "the running peer did not answer within \(ControlSocket.answerSeconds) s; see whether it "
        + "still runs, and whether it did what was asked")
  }
}
