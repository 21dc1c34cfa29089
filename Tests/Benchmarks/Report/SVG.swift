import Foundation

/// A picture as text: shapes and words in colours that follow the reader's light or dark scheme.
struct SVG {
  let width: Double
  let height: Double
  private var lines: [String] = []

  /// Colours by class, as they are on light and on dark ground.
  private static let colours = [
    ("ground", "#ffffff", "#0d1117"), ("ink", "#1f2328", "#e6edf3"), ("soft", "#656d76", "#8d96a0"),
    ("grid", "#d8dee4", "#30363d"), ("met", "#1a7f37", "#3fb950"), ("missed", "#bc4c00", "#f0883e"),
    ("c0", "#0969da", "#58a6ff"), ("c1", "#bc4c00", "#f0883e"), ("c2", "#1a7f37", "#3fb950"),
    ("c3", "#8250df", "#bc8cff"), ("c4", "#bf3989", "#f778ba"), ("c5", "#656d76", "#8d96a0"),
  ]

  init(width: Double, height: Double) {
    (self.width, self.height) = (width, height)
    lines.append("<rect class=\"ground\" width=\"\(width)\" height=\"\(height)\"/>")
  }

  enum Anchor: String {
    case start, middle, end
  }

  mutating func text(
    _ text: String, _ x: Double, _ y: Double, _ anchor: Anchor = .start, class kind: String = "ink",
    isBold: Bool = false
  ) {
    let weight = isBold ? " font-weight=\"600\"" : ""
    lines.append(
      "<text class=\"\(kind)\" x=\"\(round(x))\" y=\"\(round(y))\" text-anchor=\"\(anchor.rawValue)\"\(weight)>"
        + "\(SVG.escaped(text))</text>")
  }

  mutating func line(_ points: [(x: Double, y: Double)], class kind: String, isDashed: Bool = false)
  {
    let path = points.map { "\(round($0.x)),\(round($0.y))" }.joined(separator: " ")
    let dashes = isDashed ? " stroke-dasharray=\"4 3\"" : ""
    lines.append("<polyline class=\"\(kind) line\" points=\"\(path)\"\(dashes)/>")
  }

  /// With a tooltip, where the reader has one.
  mutating func dot(
    _ x: Double, _ y: Double, radius: Double = 4, class kind: String, title: String = ""
  ) {
    lines.append(
      "<circle class=\"\(kind)\" cx=\"\(round(x))\" cy=\"\(round(y))\" r=\"\(radius)\">"
        + "<title>\(SVG.escaped(title))</title></circle>")
  }

  /// The file.
  var text: String {
    let style = { (scheme: (Int) -> String) in
      SVG.colours.indices.map { index in
        let (name, colour) = (SVG.colours[index].0, scheme(index))
        return ".\(name){fill:\(colour)} .\(name).line{stroke:\(colour);fill:none}"
      }.joined(separator: " ")
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)"
        font-family="system-ui, sans-serif" font-size="12">
      <style>
      \(style { SVG.colours[$0].1 })
      .line{stroke-width:1.5}
      @media (prefers-color-scheme: dark) { \(style { SVG.colours[$0].2 }) }
      </style>
      \(lines.joined(separator: "\n"))
      </svg>

      """
  }

  private func round(_ number: Double) -> String { String(format: "%.1f", number) }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }
}
