/// Rules of engine and disk, each of which the convergence lab must find broken: a test bed that
/// cannot fail proves nothing.
///
/// ```swift
/// if Defect.firstComeWins.isPlanted { return false }
/// ```
///
/// In an ordinary build nothing is planted: ``isPlanted`` is the constant `false`, and the optimiser
/// removes the question with all that depends on it. In a build with the condition
/// `HYPERBASIS_DEFECTS` one of them can be chosen; `.ci/defects` does so for each in turn.
///
/// Public, like the accessor, because only public inlinable code is inlined in other modules. No app
/// sees it: the module is not part of a product.
public enum Defect: String, CaseIterable, Sendable {
  // MARK: Order and clocks

  /// Of two stamps with one timestamp the greater replica wins, not who came first.
  case firstComeWins
  /// Of two stamps with one timestamp the greater replica wins, not who came last.
  case lastComeWins
  /// What became part of the state moves the clock.
  case clockIgnoresOthers
  /// The clock of a peer that starts is not behind its state.
  case clockForgottenAtStart
  /// What did not become part of the state leaves the clock alone: batches of a catch-up that is not
  /// whole.
  case clockMovedByParts
  /// The counter of a timestamp carries into its milliseconds.
  case counterWraps
  /// A stamp too far ahead of the local clock is refused.
  case clockBoundIgnored

  // MARK: Vectors and deltas

  /// A delta's vector is merged after its cells were written.
  case vectorBeforeData
  /// A catch-up is applied when it is whole.
  case partTakenForWhole
  /// A batch does not divide a change.
  case batchSplitsChange
  /// A batch covers what it holds, to the exact sequence.
  case batchBoundaryOffByOne
  /// What is marked as sent was sent.
  case sentBeforeSent
  /// A log is rid of superseded entries only.
  case logForgetsLiveEntries
  /// A write of an equal value with a greater stamp is no duplicate.
  case equalValueIsDuplicate
  /// An interrupted catch-up is continued only at a peer that knows all that its sender knew.
  case resumedAnywhere
  /// An anchor that was not found by a write is asked for by its id.
  case idsNotAskedFor
  /// A digest tells states apart that differ in a stamp.
  case digestWithoutStamp

  // MARK: Sessions and links

  /// What was learned from a peer is pushed to others.
  case notForwarded
  /// A change is not sent to whom it came from.
  case changesEchoed
  /// What was lost on a live link is asked for anew at once.
  case gapNotAskedFor
  /// What was applied otherwise than change by change is not passed over.
  case ringKeptOverDelta
  /// Positions in the ring of recent changes stay the same when the oldest are dropped.
  case ringStartStays
  /// A space that is joined is told on the links that are open.
  case joinNotAnnounced
  /// A link without a sign of life is ended.
  case silenceIgnored
  /// What was asked of a link that ended is asked of another.
  case endedLinkStillAsked
  /// What a link does not answer is asked of another.
  case stallsIgnored
  /// A link to an earlier start of a peer is ended.
  case restartedLinkKept
  /// Of several links of two peers one side chooses which stays.
  case nobodyEndsLinks
  /// Nothing is told twice.
  case haveIsAnswered
  /// Nobody else makes changes under this replica's name.
  case identityUnchecked

  // MARK: Durability

  /// Frames are sent once what they tell is durable.
  case framesBeforeDurable
  /// Events are told once what they tell is durable.
  case eventsBeforeDurable
  /// The events of a commit that failed are not told.
  case eventsSurviveRollback
  /// The state of a commit that failed is given up.
  case stateSurvivesRollback
  /// What was committed is there after a crash, so no sequence is given out twice.
  case commitLostInCrash
  /// A commit is kept whole or not at all.
  case commitTorn
  /// The logs that are rebuilt from what was saved are in dot order.
  case loadedLogUnsorted
  /// What is loaded is what was saved: a removed key and its stamp as well.
  case removedKeysForgotten

  // MARK: History

  /// The history's vector grows change by change, without gaps.
  case historyOverGap
  /// The history is read for peers once it is durable.
  case historyBeforeDurable

  // MARK: Values

  /// What a replica writes anew as it joins others is no later than it has to be.
  case writesAnewAsOfNow
  /// An edit does not bring a deleted anchor back.
  case editUndoesDelete
  /// A restore wins against an older delete.
  case deleteBeatsRestore
  /// A tombstone is kept until all members are known to have it.
  case tombstonesCollected
  /// The registers of one change become visible together.
  case changeInPart
  /// Keys are compared by their bytes, not by their letters.
  case keysByLetters
  /// Texts are compared by their bytes, not by their letters.
  case textsByLetters
  /// 3 and 3.0 are different values.
  case integersEqualDoubles
  /// 0.0 and -0.0 are different values.
  case zerosAreEqual
  /// The same of a transform's numbers.
  case zerosAreEqualInTransforms

  // MARK: World maps

  /// The map that is fetched is the one that the space's register names.
  case firstMapStays
  /// A chunk is here once it was checked and stored.
  case chunkHereBeforeStored
  /// A chunk is believed by its hash.
  case chunkNotHashed
  /// What a peer does not have after all is asked of others.
  case lackIsNoAnswer

  /// Whether this build breaks the rule.
  @inlinable
  @inline(__always)
  public var isPlanted: Bool {
    #if HYPERBASIS_DEFECTS
      Defect.planted == self
    #else
      false
    #endif
  }

  #if HYPERBASIS_DEFECTS
    /// The rule that is broken. Safe because it is set once, before the first engine is made.
    public nonisolated(unsafe) static var planted: Defect?
  #endif
}

// What the questions at the broken rules need.
