/// The wall clock of the user in a trace: 60 edits a second, each up to 4 ms late.
///
/// A trace has no times. What a stamp costs on the wire depends on them, so they are neither those of a loop that runs
/// at full speed nor equally spaced; and they are the same in every run, so that the bytes are.
struct TraceClock {
  /// Nanoseconds since 1970: 2026-01-01.
  private var tick: Int64 = 1_767_225_600_000_000_000
  private var random: UInt64

  /// Milliseconds since 1970.
  private(set) var wall: UInt64 = 0
  /// 256ths of a millisecond beyond `wall`.
  private(set) var fraction: UInt8 = 0
  /// Nanoseconds since 1970.
  private(set) var nanoseconds: Int64 = 0

  private static let interval: Int64 = 1_000_000_000 / 60
  private static let latest: UInt64 = 4_000_000

  init(seed: UInt64) {
    random = seed
    advance()
  }

  /// Goes on to the next edit.
  mutating func advance() {
    tick += TraceClock.interval
    nanoseconds = tick + Int64(next() % TraceClock.latest)
    wall = UInt64(nanoseconds / 1_000_000)
    fraction = UInt8(nanoseconds % 1_000_000 * 256 / 1_000_000)
  }

  /// SplitMix64.
  private mutating func next() -> UInt64 {
    random &+= 0x9E37_79B9_7F4A_7C15
    var mixed = random
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
