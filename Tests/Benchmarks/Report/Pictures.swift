import Foundation

/// The tables as two pictures: how far each row is from its gate, and how costs grow.
struct Pictures {
  let results: Results

  /// - Throws: what the file system says.
  func write(to folder: String) throws {
    let directory = URL(fileURLWithPath: folder, isDirectory: true)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    for (name, picture) in [
      ("ratios", RatioPicture(results).svg), ("growth", GrowthPicture(results).svg),
    ] {
      try picture.text.write(
        to: directory.appendingPathComponent("\(name).svg"), atomically: true, encoding: .utf8)
    }
  }
}

/// One line a row, on a scale of powers of two: the gate is in the middle, better is left of it.
private struct RatioPicture {
  private static let (left, right, width) = (360.0, 120.0, 860.0)
  private static let step = 19.0
  /// Powers of two to each side of the gate.
  private static let reach = 6.0

  private(set) var svg: SVG
  private var y = 48.0

  init(_ results: Results) {
    let groups = Gates.groups.map { group in
      (title: group.title, rows: group.rows.filter { $0.gate != nil && results.judged($0) != nil })
    }.filter { !$0.rows.isEmpty }
    let count = groups.reduce(0) { $0 + $1.rows.count + 2 }
    svg = SVG(width: Self.width, height: 72 + Double(count) * Self.step)
    drawScale()
    for group in groups {
      y += Self.step
      svg.text(group.title, 12, y + 4, isBold: true)
      y += Self.step
      for row in group.rows { draw(row, results.judged(row)!) }
    }
  }

  private mutating func drawScale() {
    svg.text("Figures beside their gates, each of its row; left is better", 12, 20, isBold: true)
    for power in stride(from: -Self.reach, through: Self.reach, by: 2) {
      let x = x(pow(2, power))
      svg.line([(x, 44), (x, svg.height - 12)], class: power == 0 ? "ink" : "grid")
      let label =
        power == 0 ? "gate" : power < 0 ? "1/\(Int(pow(2, -power)))" : "\(Int(pow(2, power)))×"
      svg.text(label, x, 38, .middle, class: "soft")
    }
  }

  private mutating func draw(_ row: Gates.Row, _ judged: Double) {
    let gate = row.gate!
    let share = judged / gate
    let isMet = judged <= gate
    svg.text(row.title, Self.left - 12, y + 4, .end)
    if let aim = row.aim, aim > 0 {
      let x = x(aim / gate)
      svg.line([(x, y - 5), (x, y + 5)], class: "soft")
    }
    svg.line([(x(1), y), (x(share), y)], class: isMet ? "met" : "missed")
    svg.dot(
      x(share), y, class: isMet ? "met" : "missed", title: "\(row.title): \(share) of its gate")
    let text = share < 0.01 ? String(format: "%.4f", max(0, share)) : String(format: "%.2f×", share)
    svg.text(
      "\(text) \(isMet ? "met" : "missed")", Self.width - 12, y + 4, .end,
      class: isMet ? "met" : "missed")
    y += Self.step
  }

  private func x(_ share: Double) -> Double {
    let power = share > 0 ? min(Self.reach, max(-Self.reach, log2(share))) : -Self.reach
    let span = Self.width - Self.left - Self.right
    return Self.left + span * (power + Self.reach) / (2 * Self.reach)
  }
}

/// A panel for each kind of size, both axes in powers of ten; the dashed line is linear growth.
private struct GrowthPicture {
  private static let (width, plot, gap) = (860.0, 210.0, 76.0)

  private(set) var svg = SVG(width: width, height: 420)

  init(_ results: Results) {
    svg.text("How costs grow: times the cost at the smallest size", 12, 20, isBold: true)
    for (index, panel) in Growth.panels.enumerated() {
      draw(panel, results, at: 44 + Double(index) * (Self.plot + Self.gap))
    }
  }

  private mutating func draw(_ panel: Growth.Panel, _ results: Results, at left: Double) {
    let sizes = panel.series[0].sizes.map(Double.init)
    let top = 62.0
    let most = sizes[sizes.count - 1] / sizes[0]
    let point = { (size: Double, cost: Double) -> (x: Double, y: Double) in
      // As much room above linear as a tenth of the plot.
      let rise = min(1.1, max(-0.1, log(max(cost, 1e-9)) / log(most)))
      return (
        x: left + Self.plot * log(size / sizes[0]) / log(most),
        y: top + Self.plot * (1.1 - rise) / 1.2
      )
    }
    for (index, words) in panel.title.split(separator: ", ", maxSplits: 1).enumerated() {
      svg.text(String(words), left, 40 + 14 * Double(index), class: index == 0 ? "ink" : "soft")
    }
    for size in sizes {
      svg.line([(point(size, 1).x, top), (point(size, 1).x, top + Self.plot)], class: "grid")
      svg.text(short(size), point(size, 1).x, top + Self.plot + 16, .middle, class: "soft")
      svg.line(
        [(left, point(1, size / sizes[0]).y), (left + Self.plot, point(1, size / sizes[0]).y)],
        class: "grid")
      svg.text(
        short(size / sizes[0]) + "×", left - 5, point(1, size / sizes[0]).y + 4, .end, class: "soft"
      )
    }
    svg.line(
      [point(sizes[0], 1), point(sizes[sizes.count - 1], most)], class: "soft", isDashed: true)
    for (index, series) in panel.series.enumerated() {
      let values = Growth.values(of: series, in: results)
      guard let first = values.first, first > 0 else { continue }
      let points = zip(sizes, values).map { point($0, $1 / first) }
      svg.line(points, class: "c\(index)")
      for place in points { svg.dot(place.x, place.y, radius: 2.5, class: "c\(index)") }
      let y = top + Self.plot + 36 + 15 * Double(index)
      svg.dot(left + 4, y - 4, class: "c\(index)")
      let exponent = Growth.exponent(of: values, at: series.sizes).map {
        String(format: ": %.2f", $0)
      }
      svg.text(series.title + (exponent ?? ""), left + 14, y)
    }
  }

  private func short(_ number: Double) -> String {
    number >= 1e6
      ? "\(Int(number / 1e6))M" : number >= 1e3 ? "\(Int(number / 1e3))k" : "\(Int(number))"
  }
}
