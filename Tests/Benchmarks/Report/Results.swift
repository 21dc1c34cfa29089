import Foundation

/// The lines of a file: of each figure the least of all repetitions.
///
/// What else runs on a machine only adds to a figure, at all systems alike.
struct Results {
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

  /// Nil for what was not measured.
  func figure(_ source: Gates.Source) -> Double? {
    least[[source.system, source.workload, source.name]]
  }

  /// What a row is compared with, and whose it is; nil where that was not measured.
  func reference(of row: Gates.Row) -> (value: Double, system: String)? {
    switch row.reference {
    case .measured(let source): return figure(source).map { ($0, source.system) }
    case .sum(let sources):
      let figures = sources.compactMap(figure)
      guard figures.count == sources.count else { return nil }
      return (figures.reduce(0, +), sources[0].system)
    case .constant(let value, let system): return (value, system)
    case .itself, .none: return (1, "")
    }
  }

  /// What is judged by gate and aim; nil where it was not measured.
  func judged(_ row: Gates.Row) -> Double? {
    guard let ours = figure(row.ours), let reference = reference(of: row) else { return nil }
    return ours / reference.value
  }

  /// The ratio of the processor's times, where a row compares times.
  func processorRatio(_ row: Gates.Row) -> Double? {
    guard case .measured(let theirs) = row.reference, row.ours.name.hasSuffix("_s"),
      let ours = figure(row.ours.processor), let other = figure(theirs.processor), other > 0
    else { return nil }
    return ours / other
  }
}

/// How a figure stands to a gate or an aim.
enum Verdict: String, CaseIterable {
  case met, missed
  case unknown = "not measured"

  init(_ value: Double?, most: Double) {
    self = value.map { $0 <= most ? .met : .missed } ?? .unknown
  }
}

extension Gates.Source {
  /// The seconds of the processor in place of those of the clock.
  fileprivate var processor: Self {
    Self(system: system, workload: workload, name: Figures.processorName(of: name))
  }
}
