import HyperbasisCore

@testable import Hyperbasis

/// A seeded generator (SplitMix64, Steele, Lea and Flood, 2014).
struct SplitMix {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

func object(_ entries: KeyValuePairs<Key, Value>) -> Value.Object {
  var object = Value.Object()
  for (key, value) in entries { object[key] = value }
  return object
}

/// The text of a UUID that ends in two digits.
func uuid(_ number: Int) -> String {
  "00000000-0000-4000-8000-0000000000\(number < 10 ? "0" : "")\(number)"
}

func read(_ text: String) throws(ImportError) -> [AnchorDraft] {
  try ImportFile.read(bytes: Array(text.utf8))
}

/// The message with which a text is refused; nil when it is accepted.
func refusal(_ text: String) -> String? {
  do throws(ImportError) {
    _ = try read(text)
    return nil
  } catch {
    return error.description
  }
}
