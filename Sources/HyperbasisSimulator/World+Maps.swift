import HyperbasisCore
import HyperbasisSync

extension World {
  /// Does what a peer's engine wants for maps, and drops what none needs.
  func workOnMaps(_ number: Int) {
    while fault == nil, let task = nodes[number].engine!.nextBlobTask(canSend: hasRoom(number)) {
      switch task {
      case .inspect(let space, let reference): inspect(space, reference, at: number)
      case .load(let name, let link):
        let body = nodes[number].maps.blob(name.hash)
          .map { BlobBody(codec: 0, bytes: damaged($0)) }
        nodes[number].engine!.supply(body, for: name, on: link, at: time(at: number))
        send(Int(link.raw), from: number)
      case .check(let blob): check(blob, at: number)
      }
      takeEvents(number)
    }
    for wire in nodes[number].wires { send(wire, from: number) }
    if random.chance(Ratio(1, in: 4)) { dropLeftovers(number) }
  }

  private func hasRoom(_ number: Int) -> (LinkID) -> Bool {
    { [wires] link in
      let wire = wires[Int(link.raw)]
      return wire.streams[wire.side(of: number)].count < Wire.window
    }
  }

  private func inspect(_ space: SpaceID, _ reference: MapReference, at number: Int) {
    let disk = nodes[number].maps
    let manifest = disk.manifest(reference)
    let missing = (manifest?.chunks ?? []).enumerated().filter { disk.blob($1) == nil }.map(\.0)
    nodes[number].engine!.inspected(
      space, reference, manifest: manifest, missing: ChunkSet(missing), at: time(at: number))
  }

  private func check(_ blob: ReceivedBlob, at number: Int) {
    let (hash, bytes) = (blob.name.hash, blob.body.bytes)
    checkMapBytes(of: blob.name.space, at: number)
    let isRight = SimulatedMap.hash(bytes) == hash || Defect.chunkNotHashed.isPlanted
    guard bytes.count == blob.form.bytes, isRight else { return refuse(blob, at: number) }
    note("blob", number, UInt64(bytes.count))
    if !isHealed && random.chance(options.commitFailure) {
      nodes[number].engine!.blobNotStored(hash, at: time(at: number))
    } else {
      counts.blobs += 1
      nodes[number].maps.put(hash, bytes)
      nodes[number].engine!.blobStored(hash, at: time(at: number))
    }
  }

  private func dropLeftovers(_ number: Int) {
    let engine = nodes[number].engine!
    for space in nodes[number].maps.wholes.keys where engine.mapProgress(of: space) == nil {
      nodes[number].maps.noteWhole(nil, of: space)
    }
    nodes[number].maps.keepOnly(
      engine.rooms.keys.compactMap { engine.mapProgress(of: $0)?.reference })
  }
}
