import Foundation

/// How costs grow, as tables of Markdown.
struct GrowthTable {
  let results: Results

  var text: String {
    Growth.panels.compactMap(text).joined(separator: "\n\n")
  }

  /// Nil where nothing of it was measured.
  private func text(of panel: Growth.Panel) -> String? {
    let sizes = panel.series[0].sizes
    let lines = panel.series.compactMap { series -> String? in
      let values = Growth.values(of: series, in: results)
      guard !values.isEmpty else { return nil }
      let exponent = Growth.exponent(of: values, at: sizes)
      return Table.line(
        [series.title] + values.map { show($0, series.name) } + [
          exponent.map { String(format: "%.2f", $0) } ?? "",
          Verdict(exponent, most: Growth.gate).rawValue,
        ])
    }
    guard !lines.isEmpty else { return nil }
    return
      ([
        "## \(panel.title)", "",
        Table.line([panel.unit] + sizes.map { "\($0)" } + ["exponent", "\(Growth.gate) at most"]),
        "|---|" + sizes.map { _ in "--:|" }.joined() + "--:|---|",
      ] + lines).joined(separator: "\n")
  }

  private func show(_ value: Double, _ name: String) -> String {
    if name.hasSuffix("_s") { return String(format: "%.3f ms", value * 1_000) }
    if name == "rss" || name == "bytes" { return String(format: "%.2f MB", value / 1e6) }
    return String(format: "%.0f", value)
  }
}
