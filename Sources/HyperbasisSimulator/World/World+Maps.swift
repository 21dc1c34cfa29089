import HyperbasisCore
import HyperbasisSync

/// What each peer's driver does for world maps.
extension World {
  /// Does what a peer's engine wants for maps, and drops what none needs.
  func workOnMaps(_ node: Node) {
    var hasWorked = false
    while failure == nil, let task = node.engine.nextBlobTask(canSend: hasRoom) {
      hasWorked = true
      switch task {
      case .inspect(let space, let reference): inspect(space, reference, at: node)
      case .load(let name, let link):
        let body = node.maps.blob(name.hash).map {
          BlobBody(codec: 0, bytes: damaged($0))
        }
        node.engine.supply(body, for: name, on: link, at: time(at: node))
        send(wires[Int(link.raw)], from: node)
      case .check(let blob): check(blob, at: node)
      }
      takeEvents(node)
    }
    guard hasWorked else { return }
    for wire in node.wires { send(wire, from: node) }
    if driver.chance(Ratio(1, in: 4)) { dropLeftovers(node) }

    func hasRoom(_ link: LinkID) -> Bool {
      let wire = wires[Int(link.raw)]
      return wire.streams[wire.side(of: node.number)].count < Wire.window
    }
  }

  private func inspect(_ space: SpaceID, _ reference: MapReference, at node: Node) {
    let manifest = node.maps.manifest(reference)
    let chunks = manifest?.chunks ?? []
    let missing = chunks.indices.filter { node.maps.blob(chunks[$0]) == nil }
    node.engine.inspected(
      space, reference, manifest: manifest, missing: ChunkSet(missing), at: time(at: node))
  }

  private func check(_ blob: ReceivedBlob, at node: Node) {
    let (hash, bytes) = (blob.name.hash, blob.body.bytes)
    if let text = MapChecker.fault(of: blob.name.space, at: node) { fail("maps", at: node, text) }
    let isRight = SimulatedMap.hash(bytes) == hash || Defect.chunkNotHashed.isPlanted
    guard bytes.count == blob.form.bytes, isRight else { return refuse(blob, at: node) }
    trace.note(.blob, at: now, node.number, UInt64(bytes.count))
    if !isHealed && (disks.chance(options.commitFailure) || now < node.fullUntil) {
      node.engine.blobNotStored(hash, at: time(at: node))
    } else {
      counts.blobs += 1
      node.maps.put(hash, bytes)
      node.engine.blobStored(hash, at: time(at: node))
    }
  }

  // MARK: Damage

  /// The bytes as they will arrive.
  private func damaged(_ bytes: [UInt8]) -> [UInt8] {
    guard !isHealed, options.damage != .never, disks.chance(options.damage) else { return bytes }
    var bytes = bytes
    bytes[disks.below(bytes.count)] ^= 1
    return bytes
  }

  private func refuse(_ blob: ReceivedBlob, at node: Node) {
    guard options.damage != .never else {
      return fail("maps", at: node, "it was sent something else in place of a blob")
    }
    trace.note(.blobRefused, at: now, node.number, UInt64(blob.body.bytes.count))
    node.engine.blobRefused(blob, at: time(at: node))
  }

  /// Whether a link was ended for what was damaged on its way.
  func isOfDamage(_ farewell: Farewell) -> Bool {
    options.damage != .never && farewell.text.hasPrefix("the peer sent something else in place of")
  }

  private func dropLeftovers(_ node: Node) {
    for space in node.maps.wholes.keys where node.ask({ $0.mapProgress(of: space) }) == nil {
      node.maps.noteWhole(nil, of: space)
    }
    node.maps.keepOnly(
      node.ask { engine in engine.rooms.keys.map { engine.mapProgress(of: $0)?.reference } }
        .compactMap { $0 })
  }
}
