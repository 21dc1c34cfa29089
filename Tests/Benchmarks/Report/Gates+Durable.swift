extension Gates {
  /// A storage on the disk, beside plain SQLite that makes the same anchors durable.
  static let durable = [
    Row(
      title: "W1 in as few transactions as limits allow",
      ours: Source("hyperbasis", "build", "build_s"),
      reference: .measured(Source("sqlite", "build", "build_s")), gate: 3, aim: 1.5,
      note:
        "10,000 anchors saved in two transactions, since one change holds 65,536 registers and these are 70,000; "
        + "beside it the same anchors as rows of bytes in one table, in two transactions."),
    Row(
      title: "W2, 100,000 saves of 256 tasks", ours: Source("hyperbasis", "drag", "drag_s"),
      reference: .measured(Source("sqlite", "drag", "drag_s")), gate: 3, aim: 1.5,
      note:
        "256 tasks save at once, each waits for its save, and those of one turn share a transaction; beside it one "
        + "loop that writes the same 100,000 rows in just as many transactions as were counted here."
    ),
    Row(
      title: "60 saves a second, share of a core",
      ours: Source("hyperbasis", "paced", "core_share"),
      reference: .none, gate: 0.05,
      note:
        "The processor's seconds of the whole process in each second, over ten seconds, one save a transaction; "
        + "plain SQLite at the same pace is in the last table."),
    Row(
      title: "Open 10,000 anchors with 1,000,000 past events, warm",
      ours: Source("hyperbasis", "open-warm", "open_s"), reference: .none, gate: 0.025, aim: 0.012,
      note:
        "From the making of the storage until `loadAnchors` has all, in a process that did nothing before; the "
        + "files were just read."),
    Row(
      title: "The same, cold", ours: Source("hyperbasis", "open-cold", "open_s"), reference: .none,
      gate: 0.025, aim: 0.012,
      note:
        "The same after the system was told to forget the files; what the disk or a host keeps is out of reach."
    ),
    Row(
      title: "Save with 100,000 anchors and 1,000,000 events",
      ours: Source("hyperbasis", "save", "large_s"),
      reference: .measured(Source("hyperbasis", "save", "small_s")), gate: 1.2, aim: 1.05,
      note:
        "Medians of 1,000 moves of anchors by chance, one at a time, in the large store and in one of 100 anchors, "
        + "in turns."),
    Row(
      title: "Collected: files beside a store that only had the rest",
      ours: Source("hyperbasis", "collected", "pair_files_ratio"), reference: .itself, gate: 1.5,
      note:
        "100,000 anchors made and all but 100 deleted, retention `latest`, two members in contact, beside a store "
        + "that only ever had the 100."),
    Row(
      title: "Collected: memory beside the same",
      ours: Source("hyperbasis", "collected", "pair_memory_ratio"), reference: .itself, gate: 1.5,
      note: "Resident memory of the two processes of the row above."),
  ]

  /// What helps to read the others.
  static let unjudged = [
    figure("60 saves a second: plain SQLite, share of a core", "paced", "core_share", of: "sqlite"),
    figure("60 saves a second: one save, median", "paced", "save_s"),
    figure("Save with 100 anchors, median", "save", "small_s"),
    figure("Save with 100,000 anchors, median", "save", "large_s"),
    figure("W2: transactions", "drag", "transactions"),
    figure("20 kB written over a file and on the disk, median", "tell", "sync_s", of: "disk"),
    figure("TCP round trip, median", "tell", "round_trip_s", of: "tcp"),
    figure("TCP round trip, 99 %", "tell", "round_trip_p99_s", of: "tcp"),
    figure("Edit called to told, in memory, median", "tell", "memory_told_s"),
    figure("Edit called to returned, in memory, median", "tell", "memory_save_s"),
    figure("Edit called to told, durable, median", "tell", "disk_told_s"),
    figure("Edit called to told, durable, 99 %", "tell", "disk_told_p99_s"),
    figure("Edit called to returned, durable, median", "tell", "disk_save_s"),
    figure("Edit returned to told, durable, median", "tell", "disk_after_s"),
    figure("Idle mesh: bytes sent in 20 s by all eight", "idle", "bytes"),
    figure("loadAnchors of 10,000, the first", "reads", "first_s"),
    figure("loadAnchors again", "reads", "again_s"),
    figure("loadAnchors after an edit", "reads", "after_one_s"),
    figure("loadAnchors after an edit of each", "reads", "after_all_s"),
    figure("Save after loadAnchors", "reads", "save_s"),
    figure("Import of the SDK's 10,000 anchors and 100,000 events", "import", "first_s"),
    figure("Import once more", "import", "again_s"),
    figure("Save meanwhile, median", "import", "save_s"),
    figure("Save meanwhile, the longest", "import", "save_longest_s"),
    figure("Timeline of all events", "import", "timeline_s"),
  ]

  private static func figure(
    _ title: String, _ workload: String, _ name: String, of system: String = "hyperbasis"
  ) -> Row {
    Row(title: title, ours: Source(system, workload, name), reference: .none)
  }
}
