import HyperbasisCore
import HyperbasisSync

/// An engine with a link on which a peer has said hello: whatever the peer sends then, the engine goes
/// on, and what it would store can be loaded again.
///
/// The input is a list of steps. A first byte below 32 is a frame of this kind with the piece behind
/// as its payload, one below 64 has the piece come in as it is, and any other lets time pass.
enum SessionTarget: FuzzTarget {
  static let name = "session"

  static func seeds() -> [[UInt8]] {
    let frames = SampleFrames.all.map { Array($0.encoded().dropFirst(4)) }
    let single = frames.map { script([$0]) }
    let have = frames[1]
    var encoder = FrameEncoder()
    let live = SampleFrames.live.map { Array(encoder.encode($0).dropFirst(4)) }
    return single + [script(frames)] + frames.map { script([have, $0]) }
      + live.indices.map { script([have] + live.prefix($0 + 1)) }
  }

  /// Frames, each with its answers and some time after it.
  private static func script(_ payloads: [[UInt8]]) -> [UInt8] {
    var writer = FeedWriter()
    for payload in payloads {
      writer.byte(payload[0])
      writer.piece(Array(payload.dropFirst()))
      writer.byte(70)
    }
    return writer.bytes
  }

  static func run(_ bytes: [UInt8]) throws {
    var peer = greeted
    var feed = Feed(bytes)
    while !feed.isEmpty {
      let step = feed.byte()
      switch step {
      case ..<32:
        let payload = [step] + feed.piece()
        var writer = ByteWriter()
        writer.fixed(UInt32(payload.count))
        peer.receive(writer.bytes + payload)
      case ..<64: peer.receive(feed.piece())
      default: peer.pass(UInt64(step - 63) * 100)
      }
      try peer.check()
    }
  }

  /// The engine after the greeting; a copy of it costs nothing.
  private static let greeted: SessionDriver = {
    var driver = SessionDriver()
    driver.receive(Frame.hello(SampleFrames.hello).encoded())
    return driver
  }()
}
