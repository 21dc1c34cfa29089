extension Gates {
  private static let trip = Reference.measured(Source("tcp", "tell", "round_trip_s"))

  /// Peers over loopback, and on hosts of the lab where they have to find one another.
  static let network = [
    Row(
      title: "Edit returned to peer told, without disk, median",
      ours: Source("hyperbasis", "tell", "memory_after_s"), reference: trip, gate: 2, aim: 1,
      note:
        "From the return of `save` until the peer's `changes` has it, both stores on a file system in memory; "
        + "beside it the median of 132 bytes there and back over TCP between two threads."),
    Row(
      title: "The same, without disk, 99 %",
      ours: Source("hyperbasis", "tell", "memory_after_p99_s"),
      reference: trip, gate: 10, aim: 1, note: "Beside the same median."),
    Row(
      title: "Edit called to peer told, durable at both, median",
      ours: Source("hyperbasis", "tell", "disk_told_s"),
      reference: .measured(Source("disk", "tell", "allowed_s")), gate: 1,
      note:
        "From the call of `save` until the peer's `changes` has it, both stores on the disk; beside it what is allowed: two "
        + "medians of writing 20 kB over a file with `fdatasync`, between the edits, and two round trips."
    ),
    Row(
      title: "The same, durable, 99 %", ours: Source("hyperbasis", "tell", "disk_told_p99_s"),
      reference: .measured(Source("disk", "tell", "allowed_p99_s")), gate: 1,
      note: "Beside two such syncs at their 99 %, and ten round trips."),
    Row(
      title: "An empty peer joins a W1 space", ours: Source("hyperbasis", "join", "join_s"),
      reference: .sum([
        Source("yrs", "w4", "w1_snapshot_enc_s"), Source("yrs", "w4", "w1_snapshot_load_s"),
      ]), gate: 0.5, aim: 0.25,
      note:
        "From the dial until all 10,000 anchors are read, and on the disk; beside it yrs encodes and loads the same "
        + "in memory."),
    Row(
      title: "Browse callback to in sync", ours: Source("hyperbasis", "meeting", "in_sync_s"),
      reference: .none, gate: 0.1, aim: 0.04,
      note:
        "Two hosts with an avahi-daemon each, median: from the callback of a bare browser that names the other peer until "
        + "the 100 anchors of its space are read here, by a peer that had nothing."),
    Row(
      title: "Registration to browse callback",
      ours: Source("hyperbasis", "registration", "seen_s"),
      reference: .measured(Source("dns_sd", "registration", "seen_s")), gate: 1.05, aim: 1,
      note:
        "From the start of discovery until a bare browser sees the name; beside it the bare call that registers, in "
        + "turns, medians. Avahi itself asks for most of a second whether the name is free."),
    Row(
      title: "Idle mesh of 8: share of a core, each",
      ours: Source("hyperbasis", "idle", "core_share"), reference: .none, gate: 0.001,
      note: "The processor's seconds of a process with all eight, in each of 20 seconds, by eight."),
    Row(
      title: "Idle mesh of 8: bytes beside keep-alive alone",
      ours: Source("hyperbasis", "idle", "traffic"), reference: .itself, gate: 1,
      note:
        "What the sockets sent, as the system counts it, beside one ping each two seconds at each end of each link."
    ),
  ]
}
