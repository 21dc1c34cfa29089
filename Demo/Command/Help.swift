/// What `--help` prints.
enum Help {
  static let main = """
    hyperbasis: share spaces and their anchors with the devices on the local network, with no server

    usage: hyperbasis COMMAND [WORDS] [--store DIR] [--json]

      peer        run a peer until it is interrupted
      space       create, join or list spaces
      anchor      put, set, unset, move, delete, restore or list anchors
      import      bring in a RoomPlan scan or JSON lines of anchors
      import-sdk  bring in the directory of the archived Hyperbasis SDK
      map         set, get or look at the world map of a space
      digest      a hash of a space, for comparing devices
      retention   what a space keeps of its past
      members     the stores that are waited for before anything of a space is given up
      retire      have nobody wait for a member any more
      backup      one file with everything, while the store is in use
      repair      a new store of what can be read of a damaged one
      status      the store, its spaces, its peers and discovery
      simulate    the engine of many peers under faults, all from one seed

    hyperbasis COMMAND --help says more. SPACE is a space's id, or its name where only one has it.

      --store DIR   the store directory (default: \(StorePath.defaultDescription))
      --json        one JSON object a line on standard output

    exit status: 0 done, 1 failed, 2 the call was wrong
    """

  static let peer = """
    usage: hyperbasis peer [--store DIR] [--name N] [--port P] [--connect HOST:PORT]...
                           [--no-discovery] [--json]

    Runs a peer until SIGINT or SIGTERM. Other commands on the same store go through it.

      --name N             what others see (default: the host's name)
      --port P             the TCP port (default: a free one)
      --connect HOST:PORT  dial this peer as well; may be given several times
      --no-discovery       neither look for peers on the network nor be found

    events with --json: {"event":"ready","port":...}, {"event":"peer","id":...,"name":...,"state":
    "connected" or "gone"}, {"event":"changed","space":...,"anchors":[...]}, {"event":"status",...}
    """

  static let space = """
    usage: hyperbasis space create NAME [--id UUID]
           hyperbasis space join UUID
           hyperbasis space list

    create makes a space and prints its id; join has this store hold a space that peers have.
    Every peer on the network may join every space: pairing comes in a later version.
    """

  static let anchor = """
    usage: hyperbasis anchor put SPACE [--id UUID] [--at X,Y,Z] [--transform F1,...,F16]
                             [--set KEY=JSON]...
           hyperbasis anchor set ID KEY=JSON... [--space SPACE]
           hyperbasis anchor unset ID KEY... [--space SPACE]
           hyperbasis anchor move ID --at X,Y,Z [--space SPACE]
           hyperbasis anchor delete ID [--space SPACE]
           hyperbasis anchor restore ID [--space SPACE]
           hyperbasis anchor list SPACE [--deleted]

    put creates an anchor, or writes to the one with that id, and prints the id; what is not named
    keeps its value. Positions are metres, transforms 16 numbers column by column. JSON keeps its
    type: 3 is an integer, 3.0 a double; a text needs quotes: --set 'text="Buy milk"'.
    --space is needed only when several spaces have the anchor. list --deleted also shows the deleted.
    """

  static let simulate = """
    usage: hyperbasis simulate [--seed S] [--seeds N] [--seconds T] [--jobs J] [--peers N]
                               [--operations N] [--faults LIST] [--options 'KNOB=VALUE ...']
                               [--shrink RUNS] [--shrink-seconds T] [--save FILE]
                               [--trace LINES] [--json]
           hyperbasis simulate --replay FILE

    Runs simulated peers under a virtual clock, network and disks, breaks what can break, heals it, and
    checks that all converge and nothing is lost. A seed always takes the same course. Each seed draws
    its own options; those that are named here replace them.

      --seed S      the first seed (default: a fresh one)
      --seeds N     so many seeds, one after another
      --seconds T   fresh seeds for so long, with a line of figures every few seconds
      --jobs J      on so many threads
      --faults LIST none, swarm (as each seed draws them), or kinds: cut,crash=1/20
      --options     knobs by name, as a report prints them: 'delay=1...200 topology=chain'
      --shrink RUNS make a failing case small with at most so many runs (default: 500)
      --shrink-seconds T
                    begin no such run after so long (default: 60)
      --save FILE   where to write that case (default: seed-S.case, or
                    seed-S-2.case when there is another case of that name);
                    only a plain file is ever replaced
      --trace LINES print the last lines of what happened
      --replay FILE run a case that was written

    exit status: 0 all converged, 1 a rule was broken, 2 the call was wrong
    """

  static let importing = """
    usage: hyperbasis import SPACE FILE

    FILE is a RoomPlan CapturedRoom or CapturedStructure as JSON, or JSON lines of anchors as
    'anchor list --json' prints them. Walls, doors, windows, openings, floors and objects become
    anchors under their own identifiers. Importing the same file again writes nothing; anchors that
    were deleted stay deleted.
    """

  static let map = """
    usage: hyperbasis map set SPACE FILE
           hyperbasis map get SPACE FILE [--last]
           hyperbasis map status SPACE

    set puts the bytes of FILE in force as the space's world map; they follow to every peer, piece by
    piece and after everything else. get writes the map to FILE when it is whole; with --last the
    last one that was, while a newer one is on its way. status says how much of it is here.
    """

  static let importingSDK = """
    usage: hyperbasis import-sdk DIR

    DIR is what the archived Hyperbasis SDK kept as Documents/Hyperbasis. Its spaces, world maps,
    anchors and their histories come in with their dates; the directory is only read. What cannot be
    read is listed, a line each, and the rest comes in: the exit status is 0 then as well. What is in
    the store already stays as it is, so importing again writes nothing.
    """

  static let digest = """
    usage: hyperbasis digest SPACE

    Prints a hash that is equal on two devices when they show the same and would merge the same,
    with the version vector and the number of anchors.
    """

  static let retention = """
    usage: hyperbasis retention SPACE [everything | latest | SPAN]

    Prints what the space keeps of deleted anchors, removed keys and old changes, or sets it on every
    device. SPAN is a number and d, h, m or s: 30d keeps what is younger than thirty days. What is kept
    no longer goes once all members have it.
    """

  static let members = """
    usage: hyperbasis members SPACE

    Prints the stores that are waited for before anything of the space is given up, with their ids. None
    while the space keeps everything and always did. How far a member is was heard since the peer was
    started.
    """

  static let retire = """
    usage: hyperbasis retire SPACE MEMBER

    Has nobody wait for a member any more, on any device. MEMBER is its id, or its name where only one
    has it. If it comes back it joins anew: it brings nothing back that was deleted, and its unsent edits
    are kept.
    """

  static let backup = """
    usage: hyperbasis backup FILE

    Writes the whole store, world maps included, to FILE, as it is at one moment; the store may be in
    use. FILE must not exist: it appears when it is whole and on the disk. To restore it, copy it as
    store.sqlite into an empty directory, and name that with --store.
    """

  static let repair = """
    usage: hyperbasis repair

    Makes a new store of what can be read of a damaged one. No peer may be running on it. The damaged
    files stay in the directory as damaged-DATE.sqlite. What is lost comes back from peers.
    """

  static let status = """
    usage: hyperbasis status

    Prints the store, its ids, its spaces, the peers and what discovery does. Of a space that does not
    keep everything it says what is held back, by whom, and how much. Where this device was no member
    of a space and joined it since the peer was started, it shows the anchors that were edited here and
    are deleted there: `status --json` has them as `import` takes them, to be put in again without their ids.
    """
}
