#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// One operating system thread that runs one closure, with all signals left to the other threads.
struct WorkerThread: Sendable {
  #if canImport(Darwin)
    // Safe because: a thread's handle is an opaque name that any thread may use.
    nonisolated(unsafe) private let handle: pthread_t
  #else
    private let handle: pthread_t
  #endif

  /// Starts the thread. It must be ended with ``join()`` or ``detach()``, once.
  ///
  /// - Throws: ``SystemError`` when the system has no thread left.
  static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) -> WorkerThread {
    let box = Unmanaged.passRetained(Body(run: body))
    // The new thread inherits the mask, so that no signal can meet it.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    #if canImport(Darwin)
      var handle: pthread_t?
      let code = pthread_create(&handle, nil, { runBody($0) }, box.toOpaque())
    #else
      var handle = pthread_t()
      let code = pthread_create(&handle, nil, { runBody($0!) }, box.toOpaque())
    #endif
    guard code == 0 else {
      box.release()
      throw SystemError(call: "pthread_create", code: code)
    }
    #if canImport(Darwin)
      return WorkerThread(handle: handle!)
    #else
      return WorkerThread(handle: handle)
    #endif
  }

  private init(handle: pthread_t) {
    self.handle = handle
  }

  /// Whether the caller runs on this thread.
  var isCurrent: Bool {
    pthread_equal(handle, pthread_self()) != 0
  }

  /// Waits for the end of the thread.
  func join() {
    pthread_join(handle, nil)
  }

  /// Lets the thread end by itself.
  func detach() {
    pthread_detach(handle)
  }
}

private final class Body: Sendable {
  let run: @Sendable () -> Void

  init(run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}

private func runBody(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
