#if canImport(Glibc)
  internal import CMalloc
#endif

/// Gives memory back to the system once much was given up: what is freed stays with the process otherwise.
struct FreedMemory {
  /// Anchors that were given up since the last time, from which on it is worth some milliseconds.
  private static let anchors = 1_024
  /// Bytes that the allocator keeps at the end of each of its heaps from then on; it began with 128 KiB, and takes
  /// up to 64 MiB after large arrays.
  private static let keptBytes: Int32 = 1 << 20

  private var count = 0

  mutating func note(anchors: Int) {
    count += anchors
  }

  /// To be called on the thread that freed it, when nothing of the turn is needed any more. Some tens of milliseconds
  /// for 100 MB.
  mutating func giveBack() {
    guard count >= FreedMemory.anchors else { return }
    count = 0
    #if canImport(Glibc)
      mallopt(M_TRIM_THRESHOLD, FreedMemory.keptBytes)
      // The end of the heap is looked at when a block of more than 64 KiB is freed.
      free(malloc(1 << 17))
      malloc_trim(0)
    #endif
  }
}
