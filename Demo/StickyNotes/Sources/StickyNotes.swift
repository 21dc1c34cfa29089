import Foundation
import Hyperbasis

/// Sticky notes in a terminal: every device on the network that runs this shows the same ones.
@main struct StickyNotes {
  static let usage = """
    sticky-notes [--store DIR] [--name NAME] [--port PORT] [--connect HOST:PORT]... [--no-discovery]

    Then type, a line each:
    \(Words.help)
    """

  @MainActor static func main() async {
    setvbuf(stdout, nil, Int32(_IOLBF), 0)
    guard let config = config(CommandLine.arguments.dropFirst()) else {
      print(usage)
      exit(2)
    }
    let board = Board(config: config)
    do {
      try await board.open(waitingForPeers: .seconds(2))
      print("\(board.manager.currentSpace?.name ?? "a space"); type help for what can be done")
      let screen = Task { await board.follow { show($0) } }
      await obey(board)
      screen.cancel()
    } catch {
      print("sticky-notes: \(error.localizedDescription)")
      exit(1)
    }
  }

  /// Nil for arguments that it does not know.
  private static func config(_ arguments: ArraySlice<String>) -> HBStorageConfig? {
    var config = HBStorageConfig.lan()
    var options = HBLANOptions()
    var rest = arguments
    while let argument = rest.popFirst() {
      if argument == "--no-discovery" {
        options.discovery = false
        continue
      }
      guard let value = rest.popFirst() else { return nil }
      switch argument {
      case "--store": config.directory = URL(fileURLWithPath: value)
      case "--name": options.deviceName = value
      case "--connect": options.knownPeers.append(value)
      case "--port":
        guard let port = UInt16(value) else { return nil }
        options.port = port
      default: return nil
      }
    }
    config.backend = .lan(options)
    return config
  }

  private static func show(_ notes: [StickyNote]) {
    print("-- \(notes.count) notes")
    for (index, note) in notes.enumerated() {
      print("\(index + 1). [\(note.color.rawValue)] \(note.text)")
    }
  }

  /// Does what is typed until the end; what fails is said, and the next line is read.
  @MainActor private static func obey(_ board: Board) async {
    for await line in lines() {
      guard let words = Words(line) else {
        print("? \(line); type help")
        continue
      }
      do {
        switch words {
        case .add(let text): try await board.add(text)
        case .text(let number, let text): try await board.change(number) { $0.text = text }
        case .color(let number, let color): try await board.change(number) { $0.color = color }
        case .remove(let number): try await board.remove(number)
        case .list: show(board.notes)
        case .help: print(Words.help)
        case .quit: return
        }
      } catch {
        print("not done: \(error.localizedDescription)")
      }
    }
  }

  /// Standard input, read on a thread of its own.
  private static func lines() -> AsyncStream<String> {
    AsyncStream { continuation in
      Thread.detachNewThread {
        while let line = readLine() { continuation.yield(line) }
        continuation.finish()
      }
    }
  }
}
