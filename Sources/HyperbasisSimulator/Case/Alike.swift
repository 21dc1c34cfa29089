import HyperbasisCore

/// Values that look the same and are others.
enum Alike {
  /// Writes over each value of an anchor that has a look-alike.
  static func operations(on anchor: Anchor) -> [Operation] {
    let values = anchor.metadata.entries.compactMap { entry -> Operation? in
      value(like: entry.value).map { .metadata(anchor.id, entry.key, $0) }
    }
    return values + (transform(like: anchor.transform).map { [.transform(anchor.id, $0)] } ?? [])
  }

  private static func value(like value: Value) -> Value? {
    switch value {
    case .int(3): .double(3)
    case .double(let double) where double == 3: .int(3)
    case .double(let double) where double == 0: .double(-double)
    case .string(let text) where text == "caf\u{E9}":
      .string(text.utf8.count == 5 ? "cafe\u{301}" : "caf\u{E9}")
    default: nil
    }
  }

  private static func transform(like transform: Transform) -> Transform? {
    let (x, y, z) = transform.position
    guard x == 0 || y == 0 || z == 0 else { return nil }
    func turned(_ number: Float) -> Float { number == 0 ? -number : number }
    return try? transform.moved(to: (turned(x), turned(y), turned(z)))
  }
}
