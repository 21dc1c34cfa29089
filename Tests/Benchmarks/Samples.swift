import Foundation

/// How long something took each time, in seconds.
struct Samples {
  private(set) var seconds: [Double] = []
  /// Of all threads of this process: where the machine is busy with others, this says more.
  private var processorSeconds: [Double] = []

  mutating func add(_ duration: Duration) {
    seconds.append(duration.inSeconds)
  }

  mutating func measure<Output>(_ body: () async throws -> Output) async rethrows -> Output {
    let (start, processorStart) = (ContinuousClock.now, clock())
    let output = try await body()
    processorSeconds.append(Double(clock() - processorStart) / Double(CLOCKS_PER_SEC))
    add(ContinuousClock.now - start)
    return output
  }

  /// Precondition: there are some.
  func quantile(_ share: Double) -> Double {
    Samples.quantile(share, of: seconds)
  }

  /// Of the processor's seconds; nil where those were not measured.
  func processorQuantile(_ share: Double) -> Double? {
    processorSeconds.isEmpty ? nil : Samples.quantile(share, of: processorSeconds)
  }

  private static func quantile(_ share: Double, of samples: [Double]) -> Double {
    samples.sorted()[min(samples.count - 1, Int(Double(samples.count) * share))]
  }
}
