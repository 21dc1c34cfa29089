import Hyperbasis
import HyperbasisCore

/// A call of the command, understood.
struct Invocation {
  enum Task {
    case help(String)
    case peer(PeerOptions)
    case request(Request)
    /// An import: the file is still to be read.
    case importFile(space: String, path: String)
    case simulate(SimulateOptions)
    case repair
  }

  var task: Task
  var store: String
  var isJSON: Bool

  /// - Throws: `UsageError`.
  init(_ arguments: [String]) throws(UsageError) {
    guard let command = arguments.first, command != "--help", command != "help" else {
      guard !arguments.isEmpty else { throw UsageError("a command is missing") }
      self.init(task: .help(Help.main))
      return
    }
    let rest = Array(arguments.dropFirst())
    switch command {
    case "peer": try self.init(peer: rest)
    case "space": try self.init(space: rest)
    case "anchor": try self.init(anchor: rest)
    case "import": try self.init(import: rest)
    case "import-sdk": try self.init(importSDK: rest)
    case "map": try self.init(map: rest)
    case "digest": try self.init(space: rest, help: Help.digest) { .digest(space: $0) }
    case "members": try self.init(space: rest, help: Help.members) { .members(space: $0) }
    case "retire": try self.init(retire: rest)
    case "retention": try self.init(retention: rest)
    case "status": try self.init(status: rest)
    case "backup": try self.init(backup: rest)
    case "repair": try self.init(repair: rest)
    case "simulate": try self.init(simulate: rest)
    default: throw UsageError("unknown command \(command.shown)")
    }
  }

  private init(task: Task, words: Words? = nil) throws(UsageError) {
    self.task = task
    let named = try words?.value("--store")
    guard named != "" else { throw UsageError("--store names no directory") }
    store = StorePath.absolute(named ?? StorePath.standard)
    isJSON = words?.has("--json") ?? false
  }

  private init(task: Task) {
    self.task = task
    store = StorePath.standard
    isJSON = false
  }

  /// Reads the words with the options that every command has; nil for `--help`.
  private static func words(
    _ arguments: [String], valued: Set<String> = [], flags: Set<String> = []
  ) throws(UsageError) -> Words? {
    if arguments.prefix(while: { $0 != "--" }).contains("--help") { return nil }
    return try Words(
      arguments, valued: valued.union(["--store"]), flags: flags.union(["--json"]))
  }
}

// MARK: - One initialiser a command

extension Invocation {
  private init(peer arguments: [String]) throws(UsageError) {
    guard
      let words = try Invocation.words(
        arguments, valued: ["--name", "--port", "--connect"], flags: ["--no-discovery"])
    else {
      self.init(task: .help(Help.peer))
      return
    }
    try words.expect()
    var options = PeerOptions()
    options.name = try words.value("--name") ?? options.name
    if let text = try words.value("--port") {
      guard let port = UInt16(text) else {
        throw UsageError("--port \(text.shown) is not a number from 0 to 65535")
      }
      options.port = port
    }
    options.connect = words.values("--connect")
    options.usesDiscovery = !words.has("--no-discovery")
    try self.init(task: .peer(options), words: words)
  }

  private init(space arguments: [String]) throws(UsageError) {
    guard let words = try Invocation.words(Array(arguments.dropFirst()), valued: ["--id"]),
      let verb = arguments.first, verb != "--help"
    else {
      guard !arguments.isEmpty else { throw UsageError("space: create, join or list is missing") }
      self.init(task: .help(Help.space))
      return
    }
    let id = try words.value("--id")
    guard id == nil || verb == "create" else { throw UsageError("space \(verb) takes no --id") }
    switch verb {
    case "create":
      try words.expect("NAME")
      try Parse.check(uuid: id, "--id")
      try self.init(
        task: .request(.createSpace(id: id, name: words.positional[0])), words: words)
    case "join":
      try words.expect("UUID")
      try Parse.check(uuid: words.positional[0], "the space")
      try self.init(task: .request(.joinSpace(id: words.positional[0])), words: words)
    case "list":
      try words.expect()
      try self.init(task: .request(.listSpaces), words: words)
    default: throw UsageError("space: unknown word \(verb.shown); create, join or list")
    }
  }

  private init(import arguments: [String]) throws(UsageError) {
    guard let words = try Invocation.words(arguments) else {
      self.init(task: .help(Help.importing))
      return
    }
    try words.expect("SPACE", "FILE")
    try self.init(
      task: .importFile(space: words.positional[0], path: words.positional[1]), words: words)
  }

  private init(importSDK arguments: [String]) throws(UsageError) {
    guard let words = try Invocation.words(arguments) else {
      self.init(task: .help(Help.importingSDK))
      return
    }
    try words.expect("DIR")
    let path = StorePath.absolute(words.positional[0])
    try self.init(task: .request(.importSDK(path: path)), words: words)
  }

  private init(map arguments: [String]) throws(UsageError) {
    guard let verb = arguments.first else { throw UsageError("map: set, get or status is missing") }
    let flags: Set<String> = verb == "get" ? ["--last"] : []
    guard verb != "--help",
      let words = try Invocation.words(Array(arguments.dropFirst()), flags: flags)
    else {
      self.init(task: .help(Help.map))
      return
    }
    let request: Request
    switch verb {
    case "set", "get":
      try words.expect("SPACE", "FILE")
      let (space, path) = (words.positional[0], StorePath.absolute(words.positional[1]))
      request =
        verb == "set"
        ? .setMap(space: space, path: path)
        : .getMap(space: space, path: path, last: words.has("--last"))
    case "status":
      try words.expect("SPACE")
      request = .mapStatus(space: words.positional[0])
    default: throw UsageError("map: unknown word \(verb.shown); set, get or status")
    }
    try self.init(task: .request(request), words: words)
  }

  /// A command that is asked about one space and nothing else.
  private init(
    space arguments: [String], help: String, _ request: (String) -> Request
  ) throws(UsageError) {
    guard let words = try Invocation.words(arguments) else {
      self.init(task: .help(help))
      return
    }
    try words.expect("SPACE")
    try self.init(task: .request(request(words.positional[0])), words: words)
  }

  private init(retire arguments: [String]) throws(UsageError) {
    guard let words = try Invocation.words(arguments) else {
      self.init(task: .help(Help.retire))
      return
    }
    try words.expect("SPACE", "MEMBER")
    let (space, member) = (words.positional[0], words.positional[1])
    try self.init(task: .request(.retire(member: member, space: space)), words: words)
  }

  private init(retention arguments: [String]) throws(UsageError) {
    guard let words = try Invocation.words(arguments) else {
      self.init(task: .help(Help.retention))
      return
    }
    if words.positional.count < 2 {
      try words.expect("SPACE")
    } else {
      try words.expect("SPACE", "RETENTION")
      _ = try RetentionWord.read(words.positional[1])
    }
    let (space, word) = (words.positional[0], words.positional.dropFirst().first)
    try self.init(task: .request(.retention(space: space, becomes: word)), words: words)
  }

  private init(status arguments: [String]) throws(UsageError) {
    guard let words = try Invocation.words(arguments) else {
      self.init(task: .help(Help.status))
      return
    }
    try words.expect()
    try self.init(task: .request(.status), words: words)
  }

  private init(backup arguments: [String]) throws(UsageError) {
    guard let words = try Invocation.words(arguments) else {
      self.init(task: .help(Help.backup))
      return
    }
    try words.expect("FILE")
    let path = StorePath.absolute(words.positional[0])
    try self.init(task: .request(.backup(path: path)), words: words)
  }

  private init(repair arguments: [String]) throws(UsageError) {
    guard let words = try Invocation.words(arguments) else {
      self.init(task: .help(Help.repair))
      return
    }
    try words.expect()
    try self.init(task: .repair, words: words)
  }

  private init(simulate arguments: [String]) throws(UsageError) {
    let valued: Set<String> = [
      "--replay", "--seed", "--seeds", "--seconds", "--jobs", "--peers", "--operations", "--faults",
      "--options", "--shrink", "--shrink-seconds", "--save", "--trace",
    ]
    guard let words = try Invocation.words(arguments, valued: valued) else {
      self.init(task: .help(Help.simulate))
      return
    }
    try words.expect()
    try self.init(task: .simulate(try SimulateOptions(words)), words: words)
  }

  private init(anchor arguments: [String]) throws(UsageError) {
    guard let verb = arguments.first else {
      throw UsageError("anchor: put, set, unset, move, delete, restore or list is missing")
    }
    let rest = Array(arguments.dropFirst())
    let valued: Set<String>
    var flags: Set<String> = []
    switch verb {
    case "put": valued = ["--id", "--at", "--transform", "--set"]
    case "move": valued = ["--at", "--space"]
    case "set", "unset", "delete", "restore": valued = ["--space"]
    case "list":
      valued = []
      flags = ["--deleted"]
    case "--help": valued = []
    default: throw UsageError("anchor: unknown word \(verb.shown)")
    }
    guard verb != "--help", let words = try Invocation.words(rest, valued: valued, flags: flags)
    else {
      self.init(task: .help(Help.anchor))
      return
    }
    try self.init(task: .request(try AnchorWords.request(verb, words)), words: words)
  }
}

/// What `hyperbasis peer` was told.
struct PeerOptions {
  var name = PeerOptions.hostName
  var port: UInt16 = 0
  var connect: [String] = []
  var usesDiscovery = true
}
