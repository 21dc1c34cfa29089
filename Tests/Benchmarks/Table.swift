import Foundation

/// What the lines of a file come to, row by row, as a table of Markdown.
///
/// Of each figure the least of all repetitions counts, at both sides: what else runs on a machine only adds to it. The
/// ratio of the processor's times is for machines that are busy, and no gate is judged by it.
struct Table {
  /// The figures by system, workload and name.
  private var least: [[String]: Double] = [:]

  /// - Throws: `BenchmarkError` for a file that cannot be read or has other lines.
  init(file: String) throws {
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
      throw BenchmarkError("\(file) cannot be read")
    }
    for line in text.split(separator: "\n") {
      guard let fields = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        let system = fields["sys"] as? String, let workload = fields["wl"] as? String
      else { throw BenchmarkError("\(file) has a line that is no result: \(line)") }
      for (name, value) in fields {
        guard let number = value as? Double else { continue }
        let place = [system, workload, name]
        least[place] = min(least[place] ?? number, number)
      }
    }
  }

  /// The table, and below it how many rows are at their gate.
  var text: String {
    var lines = [
      "| what | here | beside it | ratio | processor | gate | | aim | |",
      "|---|--:|--:|--:|--:|--:|---|--:|---|",
    ]
    var counts: [Verdict: Int] = [:]
    for row in Gates.rows {
      let ours = figure(row.ours)
      let ratio = ours.flatMap { ours in reference(row).map { ours / $0.value } }
      let (gate, aim) = (Verdict(ratio, most: row.gate), Verdict(ratio, most: row.aim))
      counts[gate, default: 0] += 1
      let cells = [
        row.title, ours.map { show($0, row.ours.name) } ?? "", besides(row),
        show(ratio), show(processorRatio(row)), "\(row.gate)", gate.rawValue, "\(row.aim)",
        aim.rawValue,
      ]
      lines.append("| " + cells.joined(separator: " | ") + " |")
    }
    lines += [
      "", Verdict.allCases.map { "\(counts[$0] ?? 0) \($0.rawValue)" }.joined(separator: ", "),
    ]
    return lines.joined(separator: "\n")
  }

  private enum Verdict: String, CaseIterable {
    case met, missed
    case unknown = "not measured"

    init(_ ratio: Double?, most: Double) {
      self = ratio.map { $0 <= most ? .met : .missed } ?? .unknown
    }
  }

  private func figure(_ source: Gates.Source) -> Double? {
    least[[source.system, source.workload, source.name]]
  }

  /// Of the processor's times, where a row compares times.
  private func processorRatio(_ row: Gates.Row) -> Double? {
    guard case .measured(let theirs) = row.reference, row.ours.name.hasSuffix("_s"),
      let ours = figure(row.ours.processor), let other = figure(theirs.processor), other > 0
    else { return nil }
    return ours / other
  }

  private func show(_ ratio: Double?) -> String {
    ratio.map { String(format: "%.3g", $0) } ?? ""
  }

  private func reference(_ row: Gates.Row) -> (value: Double, system: String)? {
    switch row.reference {
    case .measured(let source): figure(source).map { ($0, source.system) }
    case .constant(let value, let system): (value, system)
    case .itself: (1, "")
    }
  }

  private func besides(_ row: Gates.Row) -> String {
    guard let (value, system) = reference(row), !system.isEmpty else { return "" }
    return "\(system) \(show(value, row.ours.name))"
  }

  /// A figure with the unit that its name tells.
  private func show(_ value: Double, _ name: String) -> String {
    if name.hasSuffix("_s") { return String(format: "%.3f ms", value * 1_000) }
    guard name.contains("bytes") || name.hasPrefix("rss") else {
      return String(format: "%.3f", value)
    }
    if value < 1_000 { return String(format: "%.1f B", value) }
    return value < 1_000_000
      ? String(format: "%.2f kB", value / 1e3) : String(format: "%.2f MB", value / 1e6)
  }
}

extension Gates.Source {
  /// The seconds of the processor in place of those of the clock.
  fileprivate var processor: Self {
    Self(system: system, workload: workload, name: Figures.processorName(of: name))
  }
}
