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
    var loaded = LoadedSpaces()
    let (rows, problem) = database.spaceRows()
    for row in rows {
      do throws(SpaceProblem) {
        loaded.spaces.append(try load(row))
        spaceNumbers[loaded.spaces.last!.state.id] = row.number
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
    let (anchors, problem) = database.anchorCells(ofSpace: row.number)
    let cells = row.cells + anchors
    guard let id = row.id, let vector = row.vector, let past = row.history, row.problem == nil
    else {
      throw SpaceProblem("row \(row.number) of spaces: \(row.problem ?? "it is damaged")", cells)
    }
    if let problem { throw SpaceProblem(problem, cells) }
    let state: SpaceState
    do {
      state = try SpaceState(id: id, vector: vector, cells: cells)
    } catch {
      throw SpaceProblem("\(error)", cells)
    }
    do throws(StoreError) {
      let last = try history.lastSlot(ofSpace: row.number)
      guard last < state.anchorCount else {
        throw StoreError.damaged(path: "", what: "row \(last) of space \(row.number) is missing")
      }
    } catch {
      throw SpaceProblem(error.what, cells)
    }
    // Own changes are in the history from the first on: the next one must follow without a gap.
    guard vector.covers(past), past[replica] == vector[replica] else {
      throw SpaceProblem("its vectors do not fit", cells)
    }
    do throws(StoreError) { try history.check(ofSpace: row.number, against: past) } catch {
      throw SpaceProblem(error.what, cells)
    }
    return StoredSpace(state: state, history: past)
  }

  private func remains(_ id: SpaceID, _ cells: [Cell]) -> SpaceState? {
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
  let cells: [Cell]

  init(_ what: String, _ cells: [Cell]) {
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
