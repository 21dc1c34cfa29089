import Foundation
import Hyperbasis
import HyperbasisCore

/// Turns the words after `anchor VERB` into a request.
enum AnchorWords {
  static func request(_ verb: String, _ words: Words) throws(UsageError) -> Request {
    switch verb {
    case "put": return try put(words)
    case "list":
      try words.expect("SPACE")
      return .listAnchors(space: words.positional[0], deleted: words.has("--deleted"))
    default: break
    }
    guard let anchor = words.positional.first else { throw UsageError("ID is missing") }
    try Parse.check(uuid: anchor, "the anchor", help: "hyperbasis anchor --help")
    let space = try words.value("--space")
    switch verb {
    case "set":
      var edit = Request.Edit()
      edit.set = try Parse.entries(Array(words.positional.dropFirst()))
      guard !edit.set.isEmpty else { throw UsageError("KEY=JSON is missing") }
      return .change(anchor: anchor, space: space, edit)
    case "unset":
      var edit = Request.Edit()
      edit.unset = Array(words.positional.dropFirst())
      guard !edit.unset.isEmpty else { throw UsageError("KEY is missing") }
      return .change(anchor: anchor, space: space, edit)
    case "move":
      try words.expect("ID")
      guard let at = try words.value("--at") else { throw UsageError("--at X,Y,Z is missing") }
      var edit = Request.Edit()
      edit.position = try Parse.floats(at, count: 3, "--at")
      return .change(anchor: anchor, space: space, edit)
    case "delete":
      try words.expect("ID")
      return .delete(anchor: anchor, space: space)
    case "restore":
      try words.expect("ID")
      return .restore(anchor: anchor, space: space)
    default: throw UsageError("anchor: unknown word \(verb.shown)")
    }
  }

  private static func put(_ words: Words) throws(UsageError) -> Request {
    try words.expect("SPACE")
    let anchor = try words.value("--id")
    try Parse.check(uuid: anchor, "--id")
    var edit = Request.Edit()
    if let at = try words.value("--at") {
      edit.position = try Parse.floats(at, count: 3, "--at")
    }
    if let transform = try words.value("--transform") {
      edit.transform = try Parse.floats(transform, count: 16, "--transform")
    }
    guard edit.position == nil || edit.transform == nil else {
      throw UsageError("--at and --transform exclude each other: a transform holds the position")
    }
    edit.set = try Parse.entries(words.values("--set"))
    return .put(space: words.positional[0], anchor: anchor, edit)
  }
}

/// Reads single words.
enum Parse {
  static func check(
    uuid text: String?, _ what: String, help: String = "hyperbasis --help"
  ) throws(UsageError) {
    guard let text, AnchorID(text: text) == nil else { return }
    throw UsageError(
      "\(what) \(text.shown) is not a UUID, such as f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
      help: help)
  }

  /// The bits of `count` finite floats that are separated by commas.
  static func floats(
    _ text: String, count: Int, _ option: String
  ) throws(UsageError) -> [UInt32] {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == count else {
      throw UsageError("\(option) has \(parts.count) numbers, not \(count)")
    }
    var bits: [UInt32] = []
    for (index, part) in parts.enumerated() {
      let word = part.trimmingCharacters(in: .whitespaces)
      guard let float = Float(word), !word.lowercased().contains("x") else {
        throw UsageError("\(option): number \(index + 1), \(word.shown), is not a number")
      }
      guard float.isFinite else {
        throw UsageError("\(option): number \(index + 1), \(word.shown), is not finite")
      }
      bits.append(float.bitPattern)
    }
    return bits
  }

  /// `KEY=JSON` words; each JSON text is checked here, so that a bad one changes nothing.
  static func entries(_ words: [String]) throws(UsageError) -> [Request.Entry] {
    var entries: [Request.Entry] = []
    for word in words {
      let bytes = Array(word.utf8)
      guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else {
        throw UsageError("\(word.shown) is not KEY=JSON")
      }
      let key = String(decoding: bytes[..<equals], as: UTF8.self)
      let json = Array(bytes[(equals + 1)...])
      do {
        try Value.check(try JSON.parse(json), for: Key(key))
      } catch let error as JSONError {
        throw UsageError(
          "\(key.shown): \(String(decoding: json, as: UTF8.self).shown) is not JSON (\(error)); "
            + "a text needs quotes, as in \(key)='\"text\"'")
      } catch {
        throw UsageError("\(error)")
      }
      entries.append(Request.Entry(key: key, json: String(decoding: json, as: UTF8.self)))
    }
    return entries
  }
}
