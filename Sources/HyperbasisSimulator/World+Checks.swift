import HyperbasisCore
import HyperbasisSync

/// Checks that need more than a state: what observers were told, the clock, and what a stranger may.
extension World {
  /// A peer started: its observers look at all that it has.
  func beginChecks(of number: Int) {
    for space in spaceIDs { nodes[number].engine!.watch(space) }
    nodes[number].screen = Screen(of: nodes[number].states)
    nodes[number].heard = 0
  }

  /// The clock is moved by what became part of the state, and by nothing else.
  func checkClock(of number: Int) {
    let engine = nodes[number].engine!
    for room in engine.rooms.values {
      nodes[number].heard = max(nodes[number].heard, room.state.lastTimestamp.milliseconds)
    }
    if engine.lead(at: Now(monotonic: 0, wall: 0)) > nodes[number].heard {
      fail("peer \(number): clock: it was moved by what is not in the state")
    }
  }

  /// Between two turns, when all was told.
  func checkScreen(of number: Int) {
    guard let engine = nodes[number].engine, nodes[number].writes == nil else { return }
    if let text = nodes[number].screen.fault(engine.rooms.values.map(\.state)) {
      fail("peer \(number): \(text)")
    }
  }

  /// What costs too much to be looked at all the time.
  func checkAtRest(_ number: Int) {
    checkScreen(of: number)
    let engine = nodes[number].engine!
    if let text = StrangerChecker.fault(of: engine, at: time(at: number)) {
      fail("peer \(number): \(text)")
    }
    if let text = AskingChecker.fault(of: engine, at: time(at: number)) {
      fail("peer \(number): \(text)")
    }
    for room in engine.rooms.values {
      if let text = DigestChecker.fault(of: room.state) { fail("peer \(number): \(text)") }
      let record = room.state.record
      let target = record.existence?.deleted == nil ? record.map : nil
      if engine.mapProgress(of: room.state.id)?.reference != target {
        fail("peer \(number): maps: another one is fetched than the space has")
      }
    }
  }

  /// A peer says that it has of a map what is on its disk, and no more.
  func checkMapBytes(of space: SpaceID, at number: Int) {
    guard let progress = nodes[number].engine!.mapProgress(of: space) else { return }
    let disk = nodes[number].maps
    let chunks = disk.manifest(progress.reference)?.chunks ?? []
    let bytes = chunks.reduce(0) { $0 + (disk.blob($1)?.count ?? 0) }
    if progress.verifiedBytes > bytes {
      fail("peer \(number): maps: \(progress.verifiedBytes) B are told, \(bytes) B are on the disk")
    }
  }

  // MARK: Damaged blobs

  /// The bytes as they arrive.
  func damaged(_ bytes: [UInt8]) -> [UInt8] {
    guard !isHealed, options.damage != .never, random.chance(options.damage) else { return bytes }
    var bytes = bytes
    bytes[random.below(bytes.count)] ^= 1
    return bytes
  }

  func refuse(_ blob: ReceivedBlob, at number: Int) {
    guard options.damage != .never else {
      return fail("peer \(number) was sent something else in place of a blob")
    }
    note("blob refused", number, UInt64(blob.body.bytes.count))
    nodes[number].hasRefused = true
    // What was damaged before came only now: nobody else may have it.
    if isHealed { schedule(.restart(number), in: 0) }
    nodes[number].engine!.blobRefused(blob, at: time(at: number))
  }

  func isOfDamage(_ farewell: Farewell) -> Bool {
    options.damage != .never && farewell.text.hasPrefix("the peer sent something else in place of")
  }
}
