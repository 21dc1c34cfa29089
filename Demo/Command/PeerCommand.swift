import Foundation
import Hyperbasis
import HyperbasisCore
import HyperbasisStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// `hyperbasis peer`: runs until SIGINT or SIGTERM.
struct PeerCommand {
  let options: PeerOptions
  let store: String
  let isJSON: Bool

  /// - Throws: `CommandError`.
  func run() throws(CommandError) {
    // On the main thread and before any other is started: all inherit it, and only `sigwait` sees
    // the signals.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    pthread_sigmask(SIG_BLOCK, &signals, nil)

    var configuration = PeerConfiguration(directory: store, name: options.name)
    configuration.port = options.port
    configuration.knownPeers = options.connect
    configuration.usesDiscovery = options.usesDiscovery
    let format = PeerEvents(isJSON: isJSON)
    let printer = Printer(dropped: format.dropped)
    let peer: LocalPeer
    let server: ControlServer
    do {
      peer = try PeerCommand.open(configuration)
      server = try ControlServer(
        store: store, executor: Executor(peer: peer, isRunning: true))
      peer.observe { news in
        for line in format.lines(news) { printer.print(line) }
      }
      let port = try peer.startAndWait()
      Printer.complain(
        "warning: links are not yet protected: anyone on this network can read and change the spaces"
      )
      printer.print(format.ready(port: port, name: options.name, device: peer.device))
    } catch {
      throw CommandError("\(error)")
    }
    server.start()
    var received: Int32 = 0
    sigwait(&signals, &received)
    server.stop()
    peer.stop()
    printer.finish()
  }
}

extension PeerCommand {
  /// Opens the store, with patience for a command that has it open for a moment.
  private static func open(_ configuration: PeerConfiguration) throws(PeerError) -> LocalPeer {
    let deadline = Date(timeIntervalSinceNow: Client.patienceSeconds)
    while true {
      do {
        return try LocalPeer(configuration)
      } catch {
        guard case .store(.inUse) = error, Date() < deadline,
          !Client.isAnswered(store: configuration.directory)
        else { throw error }
        usleep(20_000)
      }
    }
  }
}

extension PeerOptions {
  static var hostName: String {
    let name = ProcessInfo.processInfo.hostName
    return name.isEmpty ? "hyperbasis" : name
  }
}
