#if os(Linux)
  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// Works around a fault of Avahi's DNS-SD library up to 0.8 (avahi pull request 569): it does not
  /// clear the memory of a new operation, and calls whatever it finds there as a callback when the
  /// daemon dies during a resolve or a query.
  ///
  /// Avahi lets a process give it an allocator; this one is the C library's own with cleared
  /// memory, so that memory from before and after the change may be freed by either.
  enum AvahiMemory {
    private typealias SetAllocator = @convention(c) (UnsafeRawPointer?) -> Void
    private typealias Allocate = @convention(c) (Int) -> UnsafeMutableRawPointer?
    private typealias Free = @convention(c) (UnsafeMutableRawPointer?) -> Void
    private typealias Reallocate =
      @convention(c) (UnsafeMutableRawPointer?, Int) -> UnsafeMutableRawPointer?
    private typealias AllocateCleared = @convention(c) (Int, Int) -> UnsafeMutableRawPointer?

    /// Sets the allocator at its first use; false where Avahi's memory cannot be reached.
    static let isCleared: Bool = {
      guard let symbol = dlsym(nil, "avahi_set_allocator") else { return false }
      let allocate: Allocate = { calloc(1, $0) }
      let release: Free = { free($0) }
      let reallocate: Reallocate = { realloc($0, $1) }
      let allocateCleared: AllocateCleared = { calloc($0, $1) }
      // Avahi keeps the pointer for the life of the process.
      let table = UnsafeMutablePointer<UnsafeRawPointer>.allocate(capacity: 4)
      (table + 0).initialize(to: unsafeBitCast(allocate, to: UnsafeRawPointer.self))
      (table + 1).initialize(to: unsafeBitCast(release, to: UnsafeRawPointer.self))
      (table + 2).initialize(to: unsafeBitCast(reallocate, to: UnsafeRawPointer.self))
      (table + 3).initialize(to: unsafeBitCast(allocateCleared, to: UnsafeRawPointer.self))
      unsafeBitCast(symbol, to: SetAllocator.self)(table)
      return true
    }()
  }
#endif
