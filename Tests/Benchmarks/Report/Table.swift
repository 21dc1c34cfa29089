import Foundation

/// What results come to, row by row, as tables of Markdown.
///
/// The ratio of the processor's times is for machines that are busy, and no gate is judged by it.
struct Table {
  let results: Results

  /// The tables of which anything was measured, each with how many of its rows are at their gate.
  var text: String {
    Gates.groups.filter { $0.rows.contains { results.figure($0.ours) != nil } }
      .map(text).joined(separator: "\n\n")
  }

  private func text(of group: Gates.Group) -> String {
    guard group.rows.contains(where: { $0.gate != nil }) else { return unjudged(group) }
    let head = [
      "## \(group.title)", "",
      "| what | here | beside it | ratio | processor | gate | | aim | |",
      "|---|--:|--:|--:|--:|--:|---|--:|---|",
    ]
    let verdicts = group.rows.map { row in Verdict(results.judged(row), most: row.gate ?? .infinity)
    }
    let counts = Verdict.allCases.map { verdict in
      "\(verdicts.count { $0 == verdict }) \(verdict.rawValue)"
    }
    let notes = group.rows.filter { !$0.note.isEmpty }.map { "- *\($0.title)*: \($0.note)" }
    return
      (head + zip(group.rows, verdicts).map(line) + ["", counts.joined(separator: ", ")]
      + (notes.isEmpty ? [] : [""]) + notes).joined(separator: "\n")
  }

  private func line(_ row: Gates.Row, _ gate: Verdict) -> String {
    let ours = results.figure(row.ours)
    let judged = results.judged(row)
    let hasUnit = if case .none = row.reference { true } else { false }
    let limit: (Double?) -> String = { limit in
      limit.map { hasUnit ? show($0, row.ours.name) : "\($0)" } ?? ""
    }
    return Table.line([
      row.title, ours.map { show($0, row.ours.name) } ?? "", besides(row),
      hasUnit ? "" : show(judged), show(results.processorRatio(row)), limit(row.gate),
      gate.rawValue, limit(row.aim),
      row.aim.map { Verdict(judged, most: $0).rawValue } ?? "",
    ])
  }

  private func unjudged(_ group: Gates.Group) -> String {
    let lines = group.rows.compactMap { row in
      results.figure(row.ours).map { Table.line([row.title, show($0, row.ours.name)]) }
    }
    return (["## \(group.title)", "", "| what | |", "|---|--:|"] + lines).joined(separator: "\n")
  }

  static func line(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |"
  }

  private func show(_ ratio: Double?) -> String {
    ratio.map { String(format: "%.3g", $0) } ?? ""
  }

  private func besides(_ row: Gates.Row) -> String {
    guard let (value, system) = results.reference(of: row), !system.isEmpty else { return "" }
    return "\(system) \(show(value, row.ours.name))"
  }

  /// A figure with the unit that its name tells.
  private func show(_ value: Double, _ name: String) -> String {
    if name.hasSuffix("_s") { return String(format: "%.3f ms", value * 1_000) }
    if name.hasSuffix("_share") { return String(format: "%.3f %%", value * 100) }
    guard name.contains("bytes") || name.hasPrefix("rss") else {
      return value == value.rounded()
        ? String(format: "%.0f", value) : String(format: "%.3f", value)
    }
    if value < 1_000 { return String(format: "%.1f B", value) }
    return value < 1_000_000
      ? String(format: "%.2f kB", value / 1e3) : String(format: "%.2f MB", value / 1e6)
  }
}
