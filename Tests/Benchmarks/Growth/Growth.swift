import Foundation

/// Costs at several sizes, and how they grow: linear is 1, constant is 0.
enum Growth {
  static let anchorCounts = [1_000, 10_000, 100_000, 1_000_000]
  static let spaceCounts = [1, 10, 100]
  static let peerCounts = [2, 8, 32]

  /// Between the smallest and the largest size. A thousandfold size may cost twice as much a piece: that much are
  /// caches that no longer hold all, and the logarithm in what is sorted.
  static let gate = 1.1

  struct Series {
    let title: String
    let workload: String
    let sizes: [Int]
    /// Without the size in front.
    let name: String
  }

  /// What one picture shows together.
  struct Panel {
    let title: String
    let unit: String
    let series: [Series]
  }

  static let panels = [
    panel(
      "Anchors of a space, in memory", "anchors", "grow-anchors", anchorCounts,
      [
        ("make, a change each", "build_s"), ("encode all", "encode_s"), ("load all", "load_s"),
        ("delta of 1,000 moves", "delta_s"), ("bytes of all", "bytes"), ("resident memory", "rss"),
      ]),
    panel(
      "Spaces of a store, 100 anchors each", "spaces", "grow-spaces", spaceCounts,
      [("open and read all", "open_s"), ("save, median", "save_s")]),
    panel(
      "Peers of a simulated mesh, the same 400 operations", "peers", "grow-peers", peerCounts,
      [
        ("run with its checkers", "run_s"), ("frames", "frames"), ("bytes", "bytes"),
        ("virtual time to converge", "converged_s"),
      ]),
  ]

  private static func panel(
    _ title: String, _ unit: String, _ workload: String, _ sizes: [Int],
    _ series: [(title: String, name: String)]
  ) -> Panel {
    Panel(
      title: title, unit: unit,
      series: series.map {
        Series(title: $0.title, workload: workload, sizes: sizes, name: $0.name)
      })
  }

  /// By size; empty where one was not measured.
  static func values(of series: Series, in results: Results) -> [Double] {
    let values = series.sizes.compactMap { size in
      results.figure(Gates.Source("hyperbasis", series.workload, "\(size)_\(series.name)"))
    }
    return values.count == series.sizes.count ? values : []
  }

  /// The exponent of a power law from the smallest size to the largest; nil where there is nothing to compare.
  static func exponent(of values: [Double], at sizes: [Int]) -> Double? {
    guard let first = values.first, let last = values.last, first > 0, last > 0,
      sizes[0] < sizes[sizes.count - 1]
    else { return nil }
    return log(last / first) / log(Double(sizes[sizes.count - 1]) / Double(sizes[0]))
  }
}
