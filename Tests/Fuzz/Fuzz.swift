#if !HYPERBASIS_FUZZER
  import Foundation

  /// The program without the fuzzer: it writes seeds, packs and unpacks corpora, and replays inputs.
  @main
  struct Fuzz {
    static let usage = """
      Fuzz targets                    prints the names of the targets
      Fuzz replay [TARGET]            runs the kept corpus and fixtures of one target, or of all
      Fuzz seeds TARGET DIRECTORY     writes the inputs that a run begins with
      Fuzz unpack TARGET DIRECTORY    writes the kept corpus, a file for each input
      Fuzz pack TARGET DIRECTORY      replaces the kept corpus by the files of a directory
      """

    static func main() {
      let words = Array(CommandLine.arguments.dropFirst())
      do {
        switch (words.first, words.count) {
        case ("targets", 1): for target in fuzzTargets { print(target.name) }
        case ("replay", 1): for target in fuzzTargets { try replay(target) }
        case ("replay", 2): try replay(target(words[1]))
        case ("seeds", 3): try write(target(words[1]).seeds(), to: words[2])
        case ("unpack", 3): try write(Corpus.inputs(of: target(words[1])), to: words[2])
        case ("pack", 3): try Corpus.pack(target(words[1]), from: words[2])
        default:
          print(usage)
          exit(2)
        }
      } catch {
        print("\(error)")
        exit(1)
      }
    }

    private static func target(_ name: String) throws -> any FuzzTarget.Type {
      guard let target = fuzzTargets.first(where: { $0.name == name }) else {
        throw Finding(description: "no target is called \(name.debugDescription); see Fuzz targets")
      }
      return target
    }

    private static func replay(_ target: any FuzzTarget.Type) throws {
      let fixtures = try Corpus.fixtures(of: target)
      for (name, bytes) in fixtures {
        say("\(target.name): \(name)")
        try target.run(bytes)
      }
      let inputs = try Corpus.inputs(of: target) + target.seeds()
      say("\(target.name): \(inputs.count) inputs of the corpus")
      for input in inputs { try target.run(input) }
    }

    /// Prints at once: what traps is named by the line before.
    private static func say(_ line: String) {
      FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    private static func write(_ inputs: [[UInt8]], to directory: String) throws {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true)
      for (index, input) in inputs.enumerated() {
        try Data(input).write(to: URL(fileURLWithPath: "\(directory)/\(index)"))
      }
    }
  }
#endif
