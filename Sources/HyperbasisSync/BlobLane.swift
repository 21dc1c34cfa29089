import HyperbasisCore

/// What one link has to do with blobs: what was asked of the peer, and what the peer asked.
struct BlobLane: Sendable {
  /// What we asked for and have not got, oldest first.
  private(set) var outstanding: [BlobName] = []
  /// How many of those, the newest, the peer was not told yet.
  private var unsent = 0
  /// When the peer was told of the others, oldest first.
  private var told: [UInt64] = []
  /// How many may be outstanding: more while answers come fast, fewer when they queue somewhere, since
  /// edits queue with them.
  private(set) var window = Limits.blobRequestsLeast
  /// When a blob came last, or the first of those outstanding was asked for.
  private(set) var progress: UInt64 = 0
  /// The blob of which parts have come.
  private var incoming: Incoming?
  /// Nothing came for too long: nothing more is asked until something does.
  private(set) var isStalled = false

  /// What the peer asked for and has not got, oldest first.
  private var queue: [BlobName] = []
  /// The blob that is being read from the disk.
  private var loading: BlobName?
  /// The blob to send next: the only one of the link that is in memory.
  private var answer: (hash: ContentHash, body: BlobBody, sent: Int)?
  /// What the peer asked for in vain.
  private var refused: [BlobName] = []

  private struct Incoming: Sendable {
    let hash: ContentHash
    let total: Int
    var body: BlobBody
  }

  // MARK: Asking

  var canAsk: Bool { !isStalled && outstanding.count < window }

  mutating func ask(_ name: BlobName, at now: Now) {
    if outstanding.isEmpty { progress = now.monotonic }
    outstanding.append(name)
    unsent += 1
  }

  /// Takes back what the peer was not told yet and `isWanted` does not want; returns it.
  mutating func withdraw(unless isWanted: (BlobName) -> Bool) -> [BlobName] {
    let sent = told.count
    let withdrawn = outstanding[sent...].filter { !isWanted($0) }
    outstanding = outstanding[..<sent] + outstanding[sent...].filter(isWanted)
    unsent = outstanding.count - sent
    // With nothing left to come nothing would end the stall.
    if outstanding.isEmpty { isStalled = false }
    return withdrawn
  }

  /// A part came; the blob once it is whole. Parts of what is not outstanding are ignored.
  ///
  /// - Throws: `Farewell` when the part does not continue the one before.
  mutating func gather(
    _ part: BlobPart, of hash: ContentHash, at now: Now
  ) throws(Farewell) -> (BlobName, BlobBody)? {
    guard outstanding[..<told.count].contains(where: { $0.hash == hash }) else { return nil }
    if part.offset == 0 {
      incoming = Incoming(
        hash: hash, total: part.total, body: BlobBody(codec: part.codec, bytes: []))
    }
    guard incoming?.hash == hash, incoming?.total == part.total,
      incoming?.body.codec == part.codec, incoming?.body.bytes.count == part.offset
    else { throw Farewell(.malformed, "the parts of a blob do not follow each other") }
    incoming!.body.bytes += part.bytes
    progress = now.monotonic
    isStalled = false
    guard incoming!.body.bytes.count == part.total else { return nil }
    let body = incoming!.body
    incoming = nil
    return answered(hash, at: now).map { ($0, body) }
  }

  /// An answer came; nil when nothing of that name is outstanding.
  mutating func answered(_ hash: ContentHash, at now: Now) -> BlobName? {
    guard let index = outstanding[..<told.count].firstIndex(where: { $0.hash == hash }) else {
      return nil
    }
    progress = now.monotonic
    isStalled = false
    adapt(to: now.monotonic - told.remove(at: index))
    return outstanding.remove(at: index)
  }

  private mutating func adapt(to milliseconds: UInt64) {
    if milliseconds <= Limits.blobSoonMilliseconds {
      window = min(window + 1, Limits.blobRequests)
    } else if milliseconds > 2 * Limits.blobSoonMilliseconds {
      window = max(window - 1, Limits.blobRequestsLeast)
    }
  }

  /// Whether the link has just come to count as stalled.
  mutating func stalls(at now: Now) -> Bool {
    guard let deadline = stallDeadline, now.monotonic >= deadline else { return false }
    isStalled = true
    return true
  }

  var stallDeadline: UInt64? {
    isStalled || outstanding.isEmpty ? nil : progress + Limits.blobStallMilliseconds
  }

  mutating func nextWant(at now: Now) -> Frame? {
    guard unsent > 0 else { return nil }
    unsent -= 1
    told.append(now.monotonic)
    return .wantBlob(outstanding[outstanding.count - unsent - 1])
  }

  // MARK: Serving

  /// The peer asks; what cannot be served is refused in the order of the frames.
  ///
  /// - Throws: `Farewell` when it asks for more than it may.
  mutating func asked(_ name: BlobName, isHere: Bool) throws(Farewell) {
    guard queue.count + refused.count < Limits.blobQueue else {
      throw Farewell(.malformed, "the peer asks for more than \(Limits.blobQueue) blobs at once")
    }
    if isHere { queue.append(name) } else { refused.append(name) }
  }

  /// The next blob to read from the disk; nil while one is on its way.
  mutating func nextLoad() -> BlobName? {
    guard loading == nil, answer == nil, !queue.isEmpty else { return nil }
    loading = queue.removeFirst()
    return loading
  }

  var canLoad: Bool { loading == nil && answer == nil && !queue.isEmpty }

  /// The disk's reply to a load; nil when it is not there.
  mutating func supply(_ body: BlobBody?, for name: BlobName) {
    guard loading == name else { return }
    loading = nil
    if let body { answer = (name.hash, body, 0) } else { refused.append(name) }
  }

  mutating func nextRefusal() -> BlobName? {
    refused.isEmpty ? nil : refused.removeFirst()
  }

  /// The next part of the blob that is being sent, at most `most` bytes.
  mutating func nextPart(_ most: Int) -> Frame? {
    guard let (hash, body, sent) = answer else { return nil }
    let end = min(sent + most, body.bytes.count)
    answer = end == body.bytes.count ? nil : (hash, body, end)
    return .blob(
      hash,
      BlobPart(
        codec: body.codec, total: body.bytes.count, offset: sent,
        bytes: Array(body.bytes[sent..<end])
      ))
  }
}
