import Foundation
import Testing

@testable import HyperbasisCommand

/// Where `hyperbasis simulate --save` writes, and where it does not.
@Suite struct CaseFileTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "hb-case-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: path(name), encoding: .utf8)
  }

  private func refusal(_ path: String) -> String? {
    #expect(throws: CommandError.self) { try CaseFile.write("new", to: path) }?.description
  }

  @Test func `a new file and a plain one are written, and nothing else is left`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try CaseFile.write("old", to: path("a.case"))
    try CaseFile.write("new", to: path("a.case"))
    #expect(try text("a.case") == "new")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.case"])
  }

  @Test func `a symbolic link is not replaced, and what it names is not written`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try CaseFile.write("old", to: path("a.case"))
    for target in ["a.case", "absent.case"] {
      let link = path("link to \(target)")
      try FileManager.default.createSymbolicLink(
        atPath: link, withDestinationPath: path(target))
      #expect(refusal(link) == "'\(link)' is a symbolic link, and is not replaced")
    }
    #expect(try text("a.case") == "old")
    #expect(CaseFile.standing(path("absent.case")) == .nothing)
  }

  @Test func `a device and a directory are not replaced`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(refusal("/dev/full") == "'/dev/full' is a device, and is not replaced")
    #expect(refusal(folder.path) == "'\(folder.path)' is a directory, and is not replaced")
  }

  @Test func `a folder that is not there is named`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = path("absent/a.case")
    #expect(refusal(path) == "'\(path)' cannot be written: No such file or directory")
  }
}
