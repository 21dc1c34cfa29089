#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Gives the other threads a millisecond.
func restAMillisecond() {
  usleep(1_000)
}

/// The number of descriptors that this process has open.
func openDescriptors() -> Int {
  (0..<4_096).count { fcntl(Int32($0), F_GETFD) >= 0 }
}
