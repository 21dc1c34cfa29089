import HyperbasisCore

extension Store {
  /// Every space, rebuilt, with its history's vector.
  ///
  /// - Throws: `StoreError.damagedSpace` naming a space and what is wrong with it, `damaged` where its
  ///   id cannot be read.
  package func load() throws(StoreError) -> [StoredSpace] {
    let loaded = loadReadable()
    if let damaged = loaded.damaged.first { throw damaged.error(path: directory) }
    return loaded.spaces
  }

  /// As ``load()``, with the spaces that are damaged set apart.
  package func loadReadable() -> LoadedSpaces {
    let loaded = loadAgain()
    // Where something is damaged, all that a repair can still read stays where it is.
    if loaded.damaged.isEmpty, giveRoomBack(upTo: .max) { shortenLog() }
    return loaded
  }

  /// As ``loadReadable()``, and nothing is written: for a disk that has just refused to be.
  package func loadAgain() -> LoadedSpaces {
    var loaded = LoadedSpaces()
    let (rows, problem) = database.spaceRows()
    for row in rows {
      do throws(SpaceProblem) {
        loaded.spaces.append(try load(row))
      } catch {
        let id = row.id
        loaded.damaged.append(
          DamagedSpace(
            id: id, what: error.what, remains: id.flatMap { remains($0, error.cells) }))
      }
    }
    if let problem {
      loaded.damaged.append(
        DamagedSpace(id: nil, what: "table spaces: \(problem)", remains: nil))
    }
    return loaded
  }

  // MARK: Private

  private func load(_ row: SpaceRow) throws(SpaceProblem) -> StoredSpace {
    let last: Int
    let lastProblem: String?
    do throws(StoreError) {
      last = try history.lastSlot(ofSpace: row.number)
      lastProblem = nil
    } catch {
      last = -1
      lastProblem = error.what
    }
    let anchors = database.anchorRows(of: row, lastSlot: last)
    let cells = anchors.cells
    guard row.problem == nil, let id = row.id, let vector = row.vector, let past = row.history,
      let floor = row.floor, let cut = row.cut, let swept = row.swept
    else {
      throw SpaceProblem("row \(row.number) of spaces: \(row.problem ?? "it is damaged")", cells)
    }
    if let problem = anchors.problem ?? lastProblem { throw SpaceProblem(problem, cells) }
    let state: SpaceState
    do {
      state = try SpaceState(
        id: id, vector: vector, table: cells, numbers: anchors.slots,
        nextNumber: max(last, anchors.slots.last ?? -1) + 1, floor: floor,
        lastGivenUp: row.lastGivenUp)
    } catch {
      throw SpaceProblem("\(error)", cells)
    }
    guard state.registerCount == cells.count else {
      throw SpaceProblem("a register is there twice", cells)
    }
    // Own changes are in the history from the first on: the next one must follow without a gap.
    guard vector.covers(past), past[replica] == vector[replica], vector.covers(floor),
      past.covers(cut), cut.covers(swept)
    else { throw SpaceProblem("its vectors do not fit", cells) }
    do throws(StoreError) {
      try history.check(ofSpace: row.number, after: cut, upTo: past)
    } catch {
      throw SpaceProblem(error.what, cells)
    }
    spaces.remember(KnownSpace(row, anchors: anchors.slots.count), of: id)
    return StoredSpace(state: state, history: past, cut: cut, marks: marks(ofSpace: row.number))
  }

  private func remains(_ id: SpaceID, _ cells: CellTable) -> SpaceState? {
    var vector = VersionVector()
    for dot in cells.map(\.stamp.dot) where !vector.covers(dot) {
      vector[dot.replica] = dot.sequence
    }
    return try? SpaceState(id: id, vector: vector, cells: cells)
  }
}

/// Why a space is not what was written, and the cells that can be read.
private struct SpaceProblem: Error {
  let what: String
  let cells: CellTable

  init(_ what: String, _ cells: CellTable) {
    self.what = what
    self.cells = cells
  }
}

extension StoreError {
  /// What SQLite or the decoder said, without the path.
  var what: String {
    switch self {
    case .damaged(_, let what), .damagedSpace(_, _, let what), .failed(_, let what): what
    default: description
    }
  }
}
