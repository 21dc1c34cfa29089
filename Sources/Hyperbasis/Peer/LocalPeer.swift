import Foundation
import HyperbasisCore
import HyperbasisNet
import HyperbasisStore
import HyperbasisSync

/// How a peer is set up.
package struct PeerConfiguration: Sendable {
  /// The store directory; made where it is missing.
  package var directory: String
  /// Whether nothing is on a disk: `directory` is then only what errors call the store.
  package var isInMemory = false
  /// What other people's devices call this one; cut to 255 bytes.
  package var name: String
  /// The TCP port to listen on; 0 takes a free one.
  package var port: UInt16 = 0
  /// Peers to dial besides those that discovery finds: `HOST:PORT`, `[IPV6]:PORT`.
  package var knownPeers: [String] = []
  /// Whether to look for peers on the local network, and be found.
  package var usesDiscovery = true
  /// Whether every space that a peer offers is joined at once.
  package var joinsOfferedSpaces = false
  /// Whose the values are that it hands out.
  package var scope = EditScope()
  /// What it last handed out or wrote.
  var memory = SaveMemory()
  /// The port of an earlier opening, which is taken again where `port` is 0 and it is free.
  var lastPort: UInt16?

  package init(directory: String, name: String) {
    self.directory = directory
    self.name = name
  }
}

/// A device's copy of its spaces, kept in step with the peers on the local network.
///
/// ```swift
/// let peer = try LocalPeer(PeerConfiguration(directory: "room", name: "Kitchen display"))
/// try await peer.start()
/// let space = try await peer.createSpace(named: "Kitchen")
/// let note = try await peer.put(in: space, metadata: ["text": "Buy milk"])
/// ```
///
/// Every call that writes returns once the edit is on disk; peers get it from then on. Opening takes
/// the store for itself until ``stop()`` or the end of the process.
package final class LocalPeer: Sendable {
  let loop: PeerLoop
  /// The id of this store's device.
  package let device: DeviceID
  private let reactor: Reactor
  let configuration: PeerConfiguration
  private let isStopped = Locked(false)

  /// Opens the store; the network is left alone until ``start()``. Spaces that are damaged are set
  /// aside.
  ///
  /// - Throws: `PeerError.store`; an existing store is then as it was.
  package init(_ configuration: PeerConfiguration) throws(PeerError) {
    self.configuration = configuration
    do {
      let store =
        configuration.isInMemory
        ? try Store(inMemory: configuration.directory)
        : try Store(directory: configuration.directory)
      device = store.device
      let hello = Hello(
        device: store.device, replica: store.replica,
        incarnation: .random(in: 0 ... .max),
        name: configuration.name.prefix(bytes: Limits.peerNameBytes))
      let loaded = store.loadReadable()
      let engine = Engine(local: hello, spaces: loaded.spaces)
      reactor = try Reactor()
      loop = PeerLoop(
        reactor: reactor, store: store, engine: engine, damaged: loaded.damaged,
        joinsOfferedSpaces: configuration.joinsOfferedSpaces, scope: configuration.scope,
        memory: configuration.memory)
      loop.lastPort = configuration.lastPort
      loop.readSettings()
      loop.recallMaps()
      try reactor.start(handler: loop)
    } catch let error as StoreError {
      throw PeerError(error)
    } catch let error as SystemError {
      throw PeerError(error)
    } catch {
      preconditionFailure("no other error is thrown above: \(error)")
    }
  }

  deinit {
    stop()
  }

  /// Listens, looks for peers and keeps links to them; returns the port.
  ///
  /// Where it is on already, that port. Idempotent.
  ///
  /// - Throws: `PeerError.listen` when the port is taken, `address` when a known peer's address is
  ///   malformed.
  @discardableResult
  package func start() async throws(PeerError) -> UInt16 {
    let given = try endpoints()
    let configuration = configuration
    return try await call(whenRefused: .stands) { loop throws(PeerError) in
      try loop.startNetwork(configuration, given: given)
    }
  }

  /// As ``start()``, for threads that may block.
  package func startAndWait() throws(PeerError) -> UInt16 {
    let given = try endpoints()
    let configuration = configuration
    return try wait(whenRefused: .stands) { loop throws(PeerError) in
      try loop.startNetwork(configuration, given: given)
    }
  }

  private func endpoints() throws(PeerError) -> [(String, Endpoint)] {
    var endpoints: [(String, Endpoint)] = []
    for text in configuration.knownPeers {
      do { endpoints.append((text, try Endpoint(parsing: text))) } catch {
        throw .address(text, reason: error.description)
      }
    }
    return endpoints
  }

  /// Says farewell to the peers and ends the network; the store stays open, and ``start()`` begins
  /// anew.
  package func stopNetwork() async {
    let discovery = try? await call(whenRefused: .stands) { loop throws(PeerError) in
      loop.stopNetwork()
    }
    discovery?.stop()
  }

  /// As ``stopNetwork()``, for threads that may block; returns whether it was on.
  package func stopNetworkAndWait() throws(PeerError) -> Bool {
    let (wasOn, discovery) = try wait(whenRefused: .stands) { loop throws(PeerError) in
      (loop.network.isOn, loop.stopNetwork())
    }
    discovery?.stop()
    return wasOn
  }

  /// Says farewell to the peers, ends the network and gives the store back. Later calls throw.
  ///
  /// Blocks for the moment that takes: at most 2 seconds, when the discovery daemon hangs.
  package func stop() {
    let isFirst = isStopped.withLock { stopped in
      defer { stopped = true }
      return !stopped
    }
    guard isFirst else { return }
    guard !reactor.isCurrentThread else { return stopElsewhere() }
    let discovery = try? wait(whenRefused: .stands) { loop in loop.stopNetwork() }
    discovery?.stop()
    reactor.stop()
    loop.close()
  }

  /// The last reference went away on the peer's own thread, which cannot wait for its own end.
  private func stopElsewhere() {
    let discovery = loop.stopNetwork()
    Thread.detachNewThread { [reactor, loop] in
      discovery?.stop()
      reactor.stop()
      loop.close()
    }
  }

  // MARK: Calling the loop

  /// Runs `work` on the peer's thread; false when that has ended.
  @discardableResult
  func post(_ work: @escaping @Sendable () -> Void) -> Bool {
    reactor.post(work)
  }

  /// Runs `body` on the peer's thread; returns once what it wrote is durable.
  package func call<Result: Sendable>(
    whenRefused refusal: Refusal = .fails,
    _ body: @escaping @Sendable (PeerLoop) throws(PeerError) -> Result
  ) async throws(PeerError) -> Result {
    let loop = loop
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Swift.Result<Result, PeerError>, Never>) in
      let isAccepted = reactor.post {
        loop.call(whenRefused: refusal, body) { continuation.resume(returning: $0) }
      }
      if !isAccepted { continuation.resume(returning: .failure(.stopped)) }
    }
    return try result.get()
  }

  /// As ``call(_:)`` for what throws the errors of storages.
  func turn<Output: Sendable>(
    whenRefused refusal: Refusal = .fails,
    _ body: @escaping @Sendable (PeerLoop) throws(HBStorageError) -> Output
  ) async throws(HBStorageError) -> Output {
    let result: Result<Result<Output, HBStorageError>, PeerError>
    do throws(PeerError) {
      result = .success(
        try await call(whenRefused: refusal) { loop throws(PeerError) in
          do throws(HBStorageError) { return .success(try body(loop)) } catch {
            return .failure(error)
          }
        })
    } catch {
      result = .failure(error)
    }
    switch result {
    case .success(let output): return try output.get()
    case .failure(let error): throw HBStorageError(error)
    }
  }

  /// As ``wait(_:)`` for what only looks; within a call it looks at once.
  func look<Result: Sendable>(
    _ body: @escaping @Sendable (PeerLoop) throws(PeerError) -> Result
  ) throws(PeerError) -> Result {
    reactor.isCurrentThread ? try body(loop) : try wait(whenRefused: .isAskedAgain, body)
  }

  /// Whether this is the peer's own thread: a closure of the app runs there.
  var isCurrentThread: Bool { reactor.isCurrentThread }

  /// As ``call(_:)``, for threads that may block.
  package func wait<Result: Sendable>(
    whenRefused refusal: Refusal = .fails,
    _ body: @escaping @Sendable (PeerLoop) throws(PeerError) -> Result
  ) throws(PeerError) -> Result {
    guard !reactor.isCurrentThread else { throw .insideClosure(configuration.directory) }
    let loop = loop
    let answer = Answer<Swift.Result<Result, PeerError>>()
    let isAccepted = reactor.post { loop.call(whenRefused: refusal, body) { answer.give($0) } }
    guard isAccepted else { throw .stopped }
    return try answer.wait().get()
  }
}

/// One value that one thread gives and another waits for.
///
/// Safe because: the value is written before the semaphore is signalled and read after.
private final class Answer<Value: Sendable>: @unchecked Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private var value: Value?

  func give(_ value: Value) {
    self.value = value
    semaphore.signal()
  }

  func wait() -> Value {
    semaphore.wait()
    return value!
  }
}

extension String {
  /// The longest prefix of whole characters within `limit` bytes of UTF-8.
  func prefix(bytes limit: Int) -> String {
    var bytes = 0
    return String(
      prefix { character in
        bytes += character.utf8.count
        return bytes <= limit
      })
  }
}
