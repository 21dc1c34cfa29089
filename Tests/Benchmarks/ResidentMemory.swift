import Foundation

#if canImport(CMalloc)
  internal import CMalloc
#endif

/// The resident bytes of this process, beyond those at a time.
struct ResidentMemory {
  private let start: Int

  init() throws {
    start = try ResidentMemory.bytes()
  }

  /// Bytes since then, without what was freed.
  func growth() throws -> Int {
    try ResidentMemory.bytes() - start
  }

  /// - Throws: `BenchmarkError` where the system does not tell.
  private static func bytes() throws -> Int {
    #if canImport(CMalloc)
      malloc_trim(0)
    #endif
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    guard let kilobytes = line.flatMap({ Int($0.filter(\.isNumber)) }) else {
      throw BenchmarkError("this system does not tell the resident memory of a process")
    }
    return kilobytes * 1_024
  }
}
