import Foundation
import Hyperbasis
import HyperbasisCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// The command `hyperbasis`.
@main
struct Command {
  static func main() {
    signal(SIGPIPE, SIG_IGN)
    do {
      try run(try Invocation(Array(CommandLine.arguments.dropFirst())))
    } catch let error as UsageError {
      Printer.complain("\(error); see hyperbasis --help")
      exit(2)
    } catch {
      Printer.complain("\(error)")
      exit(1)
    }
  }

  private static func run(_ invocation: Invocation) throws {
    switch invocation.task {
    case .help(let text): Printer.write([text])
    case .peer(let options):
      try PeerCommand(
        options: options, store: invocation.store, isJSON: invocation.isJSON
      ).run()
    case .request(let request): try perform(request, invocation)
    case .importFile(let space, let path):
      let drafts = try read(path).map(Request.Draft.init)
      try perform(.importAnchors(space: space, drafts), invocation)
    }
  }

  private static func perform(_ request: Request, _ invocation: Invocation) throws {
    let lines = try Client.perform(request, store: invocation.store)
    Printer.write(invocation.isJSON ? lines : Text.lines(lines, for: request))
  }

  private static func read(_ path: String) throws(CommandError) -> [AnchorDraft] {
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      let reason = (error as NSError).localizedDescription
      throw CommandError("'\(path)' cannot be read: \(reason)")
    }
    do { return try ImportFile.read(bytes: Array(data)) } catch {
      throw CommandError("'\(path)': \(error)")
    }
  }
}
