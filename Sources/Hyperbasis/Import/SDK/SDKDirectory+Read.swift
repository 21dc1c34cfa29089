import HyperbasisCore

extension SDKDirectory {
  mutating func readSpaces() {
    for (file, id) in uuidFiles(in: .spaces, ending: "json") as [(String, SpaceID)] {
      do {
        let fields = ImportFields(try files.object(of: file), at: "it", prefix: "")
        var losses: [String] = []
        let space = try SDKSpace(fields, losses: &losses)
        guard space.id == id else { throw SDKRefusal.otherID("\(space.id)") }
        if fields["worldMapData"] != nil {
          maps[id] = MapSource(file: file, isEmbedded: true, isCompressed: space.isCompressed)
        }
        spaces.append(space)
        for loss in losses { note(file, loss) }
      } catch {
        note(file, "\(error)")
      }
    }
    spaces.sort { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
  }

  mutating func findMaps() {
    let indices = spaceIndices()
    for (file, id) in uuidFiles(in: .worldmaps, ending: "bin") as [(String, SpaceID)] {
      guard let index = indices[id] else {
        note(file, "\(SDKRefusal.noSpace(id))")
        continue
      }
      maps[id] = MapSource(
        file: file, isEmbedded: false, isCompressed: spaces[index].isCompressed)
    }
    for index in spaces.indices {
      let id = spaces[index].id
      spaces[index].hasWorldMap = maps[id] != nil
      if maps[id] == nil {
        note(SDKFolder.worldmaps.file(id, "bin"), "\(SDKRefusal.noMap)")
      }
    }
  }

  mutating func readAnchors() {
    let indices = spaceIndices()
    listsAnchors = (try? files.names(in: SDKFolder.anchors.rawValue)) != nil
    for (file, id) in uuidFiles(in: .anchors, ending: "json") as [(String, AnchorID)] {
      do {
        let fields = ImportFields(try files.object(of: file), at: "it", prefix: "")
        var losses: [String] = []
        let anchor = try SDKAnchor(fields, losses: &losses)
        guard anchor.id == id else { throw SDKRefusal.otherID("\(anchor.id)") }
        guard indices[anchor.spaceId] != nil else { throw SDKRefusal.noSpace(anchor.spaceId) }
        anchors.append(anchor)
        for loss in losses { note(file, loss) }
      } catch {
        unreadableAnchors.insert(id)
        note(file, "\(error)")
      }
    }
    anchors.sort { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
  }

  mutating func readEvents() {
    let indices = spaceIndices()
    for name in names(in: .events) {
      let file = "\(SDKFolder.events)/\(name)/events.jsonl"
      do {
        guard let space = SpaceID(text: name) else { throw SDKRefusal.badName("UUID") }
        guard indices[space] != nil else { throw SDKRefusal.noSpace(space) }
        _ = try files.names(in: "\(SDKFolder.events)/\(name)")
        readEvents(try files.bytes(of: file, most: InputLimits.fileBytes), of: space, file: file)
      } catch {
        note(file, "\(error)")
      }
    }
  }

  private mutating func readEvents(_ bytes: [UInt8], of space: SpaceID, file: String) {
    var lines = JSONLines(bytes)
    while let range = lines.nextRange() {
      let place = "line \(lines.number)"
      do {
        let value = try JSON.parse(Array(bytes[range]))
        let fields =
          if case .object(let object) = value {
            ImportFields(object, at: place, prefix: "\(place): ")
          } else {
            try ImportFields(value, at: place)
          }
        var losses: [String] = []
        let event = try SDKEvent(fields, losses: &losses)
        guard event.spaceId == space else { throw SDKRefusal.otherSpace(place, event.spaceId) }
        events.append(event)
        for loss in losses { note(file, loss) }
      } catch let error as JSONError {
        // The SDK ends each line; one that was being written when the app ended has no end.
        let isCut = range.upperBound == bytes.count
        note(
          file,
          isCut ? "\(place) is cut short" : "\(place), column \(error.column): \(error.reason)")
      } catch {
        note(file, "\(error)")
      }
    }
  }

  private mutating func note(_ file: String, _ reason: String) {
    problems.append(SDKProblem(file: file, reason: reason))
  }

  private mutating func names(in folder: SDKFolder) -> [String] {
    guard files.exists(folder.rawValue) else { return [] }
    do throws(SDKFileError) {
      return try files.names(in: folder.rawValue)
    } catch {
      note(folder.rawValue, "\(error)")
      return []
    }
  }

  /// The files of a folder that are named by a UUID, each UUID once.
  private mutating func uuidFiles<Kind>(
    in folder: SDKFolder, ending: String
  ) -> [(String, Identifier<Kind>)] {
    var found: [(String, Identifier<Kind>)] = []
    var seen: Set<Identifier<Kind>> = []
    for name in names(in: folder) {
      let file = "\(folder)/\(name)"
      let parts = name.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2, parts[1] == ending, let id = Identifier<Kind>(text: parts[0]) else {
        note(file, "\(SDKRefusal.badName("UUID.\(ending)"))")
        continue
      }
      guard seen.insert(id).inserted else {
        note(file, "\(SDKRefusal.repeated)")
        continue
      }
      found.append((file, id))
    }
    return found
  }

  private func spaceIndices() -> [SpaceID: Int] {
    Dictionary(uniqueKeysWithValues: spaces.enumerated().map { ($1.id, $0) })
  }
}
