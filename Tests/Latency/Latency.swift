import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// Measures how long an edit takes from the start of the command on one host to the event that the
/// peer on another host prints.
///
///     latency COMMAND STORE ANCHOR LOG COUNT MOST
///
/// `COMMAND anchor move ANCHOR --at N,0,0 --store STORE` is run COUNT times, one after the other. LOG
/// is the file to which the other host's `peer --json` writes; the edit is visible when it has a new
/// `changed` line with the anchor. Exit status 1 when the median is above MOST milliseconds.
@main
struct Latency {
  let command: String
  let store: String
  let anchor: String
  let log: FileHandle

  static func main() throws {
    let words = CommandLine.arguments
    guard words.count == 7, let count = Int(words[5]), count > 0, let most = Double(words[6]) else {
      print("usage: latency COMMAND STORE ANCHOR LOG COUNT MOST")
      exit(2)
    }
    guard let log = FileHandle(forReadingAtPath: words[4]) else {
      print("latency: '\(words[4])' cannot be read")
      exit(1)
    }
    let latency = Latency(command: words[1], store: words[2], anchor: words[3], log: log)
    var samples: [Double] = []
    for number in 1...count { samples.append(try latency.sample(number)) }
    samples.sort()
    func quantile(_ share: Double) -> String {
      String(format: "%.1f", samples[min(count - 1, Int(Double(count) * share))])
    }
    print(
      "latency: median \(quantile(0.5)) ms, p99 \(quantile(0.99)) ms, max \(quantile(1)) ms over "
        + "\(count) edits, from the start of the command to the event on the other host")
    exit(samples[count / 2] <= most ? 0 : 1)
  }

  /// Milliseconds of one edit.
  private func sample(_ number: Int) throws -> Double {
    try log.seekToEnd()
    let start = DispatchTime.now().uptimeNanoseconds
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command)
    process.arguments = ["anchor", "move", anchor, "--at", "\(number),0,0", "--store", store]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let end = waitForEvent(deadline: start + 10_000_000_000)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      print("latency: edit \(number) failed")
      exit(1)
    }
    guard let end else {
      print("latency: edit \(number) was not seen within 10 s")
      exit(1)
    }
    return Double(end - start) / 1_000_000
  }

  private func waitForEvent(deadline: UInt64) -> UInt64? {
    var seen = ""
    while DispatchTime.now().uptimeNanoseconds < deadline {
      seen += String(decoding: log.availableData, as: UTF8.self)
      for line in seen.split(separator: "\n", omittingEmptySubsequences: true)
      where line.contains("\"changed\"") && line.contains(anchor) {
        return DispatchTime.now().uptimeNanoseconds
      }
      usleep(200)
    }
    return nil
  }
}
