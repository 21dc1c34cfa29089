#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The machine's clock that never jumps; its zero is arbitrary and it does not compare across
/// processes.
package enum MonotonicClock {
  /// Milliseconds.
  package static var now: UInt64 {
    milliseconds(of: CLOCK_MONOTONIC)
  }
}

/// The machine's idea of the date, which may jump.
package enum WallClock {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  package static var now: UInt64 {
    milliseconds(of: CLOCK_REALTIME)
  }

  /// Nanoseconds since 1970-01-01T00:00:00Z; until the year 2262.
  package static var nanoseconds: Int64 {
    let time = time(of: CLOCK_REALTIME)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

private func milliseconds(of clock: clockid_t) -> UInt64 {
  let time = time(of: clock)
  return UInt64(max(0, time.tv_sec)) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
}

private func time(of clock: clockid_t) -> timespec {
  var time = timespec()
  let result = clock_gettime(clock, &time)
  precondition(result == 0, "the system refused to tell the time")
  return time
}
