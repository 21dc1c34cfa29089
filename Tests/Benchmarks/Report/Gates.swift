/// Where each figure has to stand: the tables of the issue that asked for the benchmark.
enum Gates {
  /// Of one system, in one workload.
  struct Source {
    let system: String
    let workload: String
    let name: String
  }

  /// What a figure is compared with.
  enum Reference {
    case measured(Source)
    /// Several figures of one system together.
    case sum([Source])
    /// By a system that does not run here.
    case constant(Double, String)
    /// Nothing: the figure is a ratio already.
    case itself
    /// Nothing: gate and aim have the figure's own unit.
    case none
  }

  struct Row {
    let title: String
    let ours: Source
    let reference: Reference
    /// Nil for a figure that is printed and not judged.
    var gate: Double?
    var aim: Double?
    /// What is compared with what.
    var note = ""
  }

  /// Rows that make one table.
  struct Group {
    let title: String
    let rows: [Row]
  }

  static let groups = [
    Group(title: "The engine in memory", rows: engine),
    Group(title: "Durable", rows: durable),
    Group(title: "Network", rows: network),
    Group(title: "Printed, not judged", rows: unjudged),
  ]

  /// In bytes; Yjs in its format V2, loro with its history and as a shallow snapshot.
  private static let (yjs, loro) = ("Yjs V2", "loro")

  private static let engine =
    edits + snapshots + deltas + [
      row("W6 live, bytes per op", "w6", "bytes_per_edit", .constant(73.7, "Yjs"), 0.50, 0.36),
      row("W6 live, time of both sides", "w6", "live_s", yrs("w6", "live_s"), 0.15, 0.06),
      row("W7 bytes both ways", "w7", "bytes", .constant(270_926, yjs), 0.72, 0.62),
      row("W7 encode", "w7", "enc_s", yrs("w7", "enc_s"), 0.10, 0.05),
      row("W7 apply", "w7", "apply_s", yrs("w7", "apply_s"), 0.10, 0.05),
      row("W8 bytes per anchor", "w8", "rss_w1_per_anchor", .constant(2_315, loro), 0.45, 0.30),
      row("W8 after W2, against W1", "w8", "growth", .itself, 1.02, 1.0),
    ] + tombstones

  private static let edits = [
    row("W1 build", "w1", "each_s", yrs("w1", "each_s"), 0.25, 0.15),
    row("W2 drag", "w2", "each_s", yrs("w2", "each_s"), 0.10, 0.03),
    row("W3 metadata", "w3", "each_s", yrs("w3", "each_s"), 0.10, 0.04),
  ]

  private static let snapshots = [("w1", 879_938.0, 0.20, 0.13), ("all", 1_076_763, 0.12, 0.07)]
    .flatMap { name, bytes, gate, aim in
      let prefix = "\(name)_snapshot_"
      return [
        row(
          "W4 snapshot encode, \(name)", "w4", prefix + "enc_s", yrs("w4", prefix + "enc_s"), 0.40,
          0.25),
        row(
          "W4 load with all values read, \(name)", "w4", prefix + "loadread_s",
          yrs("w4", prefix + "load_s"), gate, aim),
        row(
          "W4 snapshot bytes, compressed, \(name)", "w4", prefix + "deflate6_bytes",
          .constant(bytes, yjs), 0.85, 0.70),
      ]
    }

  private static let deltas = [
    row("W5 delta bytes, 1,000 ops", "w5", "1k_bytes", .constant(4_735, yjs), 0.86, 0.75),
    row("W5 delta bytes, 100,000 ops", "w5", "100k_bytes", .constant(409_372, yjs), 0.80, 0.65),
    row(
      "W5 the same with full history", "w5", "100k_history_bytes", .constant(5_814_612, loro),
      0.25, 0.15),
    row(
      "W5 encode, 1,000 ops", "w5", "1k_enc_s", .measured(Source("loro", "w5", "1k_enc_s")), 0.10,
      0.04),
    row("W5 encode, 100,000 ops", "w5", "100k_enc_s", yrs("w5", "100k_enc_s"), 0.50, 0.30),
    row("W5 apply, 1,000 ops", "w5", "1k_apply_s", yrs("w5", "1k_apply_s"), 0.20, 0.10),
    row("W5 apply, 100,000 ops", "w5", "100k_apply_s", yrs("w5", "100k_apply_s"), 0.10, 0.05),
    row(
      "W5 encode, 1,000 ops, ten times the document", "w5", "1k_x10_enc_s",
      .measured(Source("hyperbasis", "w5", "1k_enc_s")), 1.5, 1.1),
  ]

  private static let tombstones = [
    row("W9 run", "w9", "run_s", yrs("w9", "run_s"), 0.10, 0.05),
    row(
      "W9 snapshot bytes, tombstones kept", "w9", "snapshot_bytes", .constant(4_048_899, loro),
      0.50, 0.47),
    row(
      "W9 snapshot bytes, collected", "w9", "collected_snapshot_bytes", .constant(4_048_899, loro),
      0.01, 0.005),
    row("W9 memory, tombstones kept", "w9", "rss", yrs("w9", "rss"), 0.40, 0.34),
    row("W9 memory, collected", "w9", "rss_collected", yrs("w9", "rss"), 0.10, 0.05),
  ]

  private static func row(
    _ title: String, _ workload: String, _ name: String, _ reference: Reference, _ gate: Double,
    _ aim: Double
  ) -> Row {
    Row(
      title: title, ours: Source("hyperbasis", workload, name), reference: reference, gate: gate,
      aim: aim)
  }

  private static func yrs(_ workload: String, _ name: String) -> Reference {
    .measured(Source("yrs", workload, name))
  }
}

extension Gates.Source {
  init(_ system: String, _ workload: String, _ name: String) {
    self.init(system: system, workload: workload, name: name)
  }
}
