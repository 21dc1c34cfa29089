import HyperbasisCore

/// A space as the SDK stored it; dates in nanoseconds since 1970.
package struct SDKSpace: Equatable, Sendable {
  package let id: SpaceID
  package let name: String?
  package let createdAt: Int64
  package let updatedAt: Int64
  /// Whether there is a world map; ``SDKDirectory/worldMap(of:)`` reads it.
  package internal(set) var hasWorldMap = false
  /// What the file says of its world map; nil when it says nothing.
  let isCompressed: Bool?
}

/// An anchor as the SDK stored it; dates in nanoseconds since 1970.
///
/// A number that was a whole double in the app is an integer: the SDK lost its type when it wrote.
package struct SDKAnchor: Equatable, Sendable {
  package let id: AnchorID
  package let spaceId: SpaceID
  package let transform: Transform
  package let metadata: Value.Object
  package let createdAt: Int64
  package let updatedAt: Int64
  /// Nil while the anchor lives.
  package let deletedAt: Int64?
}

/// What an ``SDKEvent`` id names.
package enum SDKEventKind {}

/// A line of the SDK's event log.
package struct SDKEvent: Equatable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case created, moved, updated, deleted, restored
  }

  package let id: Identifier<SDKEventKind>
  /// Perhaps of an anchor that is no longer there.
  package let anchorId: AnchorID
  package let spaceId: SpaceID
  package let type: Kind
  /// Nanoseconds since 1970.
  package let timestamp: Int64
  /// Counted from 1 for each anchor; the SDK's own numbers can repeat.
  package let version: Int64
  package let transform: Transform?
  /// All metadata of the anchor at that time.
  package let metadata: Value.Object?
  package let actorId: String?
}

extension SDKSpace {
  /// - Throws: `ImportError` when the space cannot be had; what is lost of it goes to `losses`.
  init(_ fields: ImportFields, losses: inout [String]) throws(ImportError) {
    id = try fields.required("id")
    let name = try fields.text("name")
    let nameBytes = name?.utf8.count ?? 0
    if nameBytes > Limits.nameBytes {
      losses.append(
        """
        \(fields.place(of: "name")) has \(nameBytes) bytes, at most \(Limits.nameBytes) are \
        allowed; it is left out
        """)
    }
    self.name = nameBytes > Limits.nameBytes ? nil : name
    createdAt = try fields.requiredDate("createdAt")
    updatedAt = try fields.requiredDate("updatedAt")
    isCompressed =
      if let isCompressed = try fields.boolean("isCompressed") { isCompressed } else {
        try fields.boolean("is_compressed")
      }
  }
}

extension SDKAnchor {
  /// - Throws: `ImportError` when the anchor cannot be had; what is lost of it goes to `losses`.
  init(_ fields: ImportFields, losses: inout [String]) throws(ImportError) {
    id = try fields.required("id")
    spaceId = try fields.required("spaceId")
    guard let transform = try fields.transform("transform") else {
      throw .item(fields.place(of: "transform"), .missing)
    }
    self.transform = transform
    createdAt = try fields.requiredDate("createdAt")
    updatedAt = try fields.requiredDate("updatedAt")
    deletedAt = try fields.date("deletedAt")
    metadata = try fields.metadata("metadata", losses: &losses) ?? Value.Object()
  }
}

extension SDKEvent {
  /// - Throws: `ImportError` when the event cannot be had; what is lost of it goes to `losses`.
  init(_ fields: ImportFields, losses: inout [String]) throws(ImportError) {
    id = try fields.required("id")
    anchorId = try fields.required("anchorId")
    spaceId = try fields.required("spaceId")
    guard let word = try fields.text("type") else {
      throw .item(fields.place(of: "type"), .missing)
    }
    guard let type = Kind(rawValue: word) else {
      let known = Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw .item(
        fields.place(of: "type"), .wrongKind(expected: "one of \(known)", found: word.shown))
    }
    self.type = type
    timestamp = try fields.requiredDate("timestamp")
    guard case .int(let version)? = fields["version"], version > 0 else {
      let found = fields["version"].map { JSON.write($0) } ?? "missing"
      throw .item(
        fields.place(of: "version"), .wrongKind(expected: "an integer from 1", found: found))
    }
    self.version = version
    transform = try fields.transform("transform")
    actorId = try fields.text("actorId")
    metadata = try fields.metadata("metadata", losses: &losses)
  }
}
