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
      Printer.complain("\(error); see \(error.help)")
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
    case .simulate(let options):
      try SimulateCommand(options: options, isJSON: invocation.isJSON).run()
    case .repair:
      let lines = try RepairCommand.run(store: invocation.store)
      Printer.write(invocation.isJSON ? lines : Text.repaired(lines))
    case .request(let request): try perform(request, invocation)
    case .importFile(let space, let path):
      let drafts = try read(path).map(Request.Draft.init)
      try perform(.importAnchors(space: space, drafts), invocation)
    }
  }

  private static func perform(_ request: Request, _ invocation: Invocation) throws {
    // Before a store is made for it.
    if case .importSDK(let path) = request { try SDKDirectory.check(path: path) }
    let lines = try Client.perform(request, store: invocation.store)
    guard Printer.write(invocation.isJSON ? lines : Text.lines(lines, for: request)) else {
      throw CommandError("done, but standard output takes no more")
    }
  }

  private static func read(_ path: String) throws(CommandError) -> [AnchorDraft] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1_048_576)
    // One byte more than is allowed is enough to be refused.
    while bytes.count <= InputLimits.fileBytes {
      let count = chunk.withUnsafeMutableBytes { readBytes(descriptor, $0.baseAddress, $0.count) }
      guard count >= 0 else { throw unreadable(path) }
      if count == 0 { break }
      bytes.append(contentsOf: chunk[..<count])
    }
    do { return try ImportFile.read(bytes: bytes) } catch {
      throw CommandError("'\(path)': \(error)")
    }
  }

  private static func unreadable(_ path: String) -> CommandError {
    CommandError("'\(path)' cannot be read: \(String(cString: strerror(errno)))")
  }
}

/// `read(2)`, whose name is taken inside `Command`.
private func readBytes(_ descriptor: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int) -> Int
{
  read(descriptor, start, count)
}
