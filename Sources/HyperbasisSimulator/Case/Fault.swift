/// One thing that goes wrong in a simulated world: what, and when.
///
/// `first` and `second` choose whom it meets and how badly. They are read against the world as it is
/// then (which links are open, how many peers there are), so that any numbers make a legal fault.
public struct Fault: Equatable, Sendable {
  /// What goes wrong.
  public enum Kind: String, CaseIterable, Sendable {
    /// A link breaks, with its bytes cut anywhere, and perhaps nobody is told.
    case cut
    /// A peer stops without a word, and starts again later. What was being committed is on its disk or
    /// is not.
    case crash
    /// A peer says farewell, stops, and starts again later.
    case stop
    /// Bytes of some peers do not reach some others for a while: in one direction, of one peer, between
    /// two halves, or of all but neighbours.
    case partition
    /// Bytes of one peer to another take fifty times as long for a while.
    case clog
    /// A wall clock jumps.
    case clockStep
    /// A wall clock stands still for a while.
    case clockFreeze
    /// A disk takes twenty times as long for a while.
    case slowDisk
    /// A disk takes nothing for a while.
    case fullDisk
    /// A power cut: a peer stops, and its disk has lost the last commits.
    case lostTail
    /// A peer is replaced by an older copy of itself.
    case restore
    /// A peer is replaced by a copy of another one, which goes on as well.
    case clone
    /// A wall clock is wrong by hours to decades for a while, and then right again.
    case wrongClock
  }

  /// Milliseconds after the start.
  public var time: Int
  /// What goes wrong.
  public var kind: Kind
  /// Whom it meets.
  public var first: UInt32
  /// How badly.
  public var second: UInt32

  /// Any numbers make a legal fault.
  public init(at time: Int, _ kind: Kind, first: UInt32, second: UInt32) {
    self.time = time
    self.kind = kind
    self.first = first
    self.second = second
  }
}

/// How often each kind of fault happens, per tenth of a second.
public struct FaultRates: Equatable, Sendable {
  private var ratios = Array(repeating: Ratio.never, count: Fault.Kind.allCases.count)

  /// No faults at all.
  public init() {}

  /// The ratio of one kind.
  public subscript(kind: Fault.Kind) -> Ratio {
    get { ratios[FaultRates.index(of: kind)] }
    set { ratios[FaultRates.index(of: kind)] = newValue }
  }

  private static func index(of kind: Fault.Kind) -> Int {
    Fault.Kind.allCases.firstIndex(of: kind)!
  }
}

extension Fault {
  /// Draws the faults of a course that takes so many milliseconds, in order of time. What would come
  /// after the last that a world can have does not happen.
  static func plan(
    _ rates: FaultRates, milliseconds: Int, _ random: inout RandomSource
  ) -> [Fault] {
    var faults: [Fault] = []
    let kinds = Kind.allCases.filter { rates[$0].part > 0 }
    for time in stride(from: 100, to: milliseconds, by: 100) {
      for kind in kinds where random.chance(rates[kind]) {
        guard faults.count < SimulationOptions.Most.faults else { return faults }
        let words = random.next()
        faults.append(
          Fault(
            at: time, kind, first: UInt32(truncatingIfNeeded: words >> 32),
            second: UInt32(truncatingIfNeeded: words)))
      }
    }
    return faults
  }
}
