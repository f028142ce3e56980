import Foundation
import TrendyModels

/// Random source for one case: numbers at the limits of their ranges, unusual strings and mutated documents.
///
/// The seed determines all values, so a case is reproducible by its number.
struct FuzzSource: RandomNumberGenerator {
  private var generator: SeededGenerator

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed &* 0xA24B_AED4_963E_E407 ^ 0x9FB2_1C65_1E98_DF25)
  }

  mutating func next() -> UInt64 { generator.next() }

  mutating func below(_ bound: Int) -> Int { generator.below(bound) }

  /// Returns `true` with probability 1 / `count`.
  mutating func once(in count: Int) -> Bool { below(count) == 0 }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  // MARK: Numbers

  private static let ends: [Int64] = [
    .min, .min + 1, .max, .max - 1, -1, 0, 1, 2, 1 << 31, 1 << 32, -(1 << 31), 1 << 52, 1 << 53, 1 << 62,
    SyncRange.counter.upperBound, SyncRange.counter.upperBound - 1, SyncRange.stamp.upperBound,
    SyncRange.stamp.upperBound + 1, 1_704_067_200_000,
  ]

  /// Returns an integer, mostly near a limit of a range.
  mutating func integer() -> Int64 {
    switch below(4) {
    case 0: pick(Self.ends)
    case 1: pick(Self.ends) &+ Int64(below(5)) &- 2
    case 2: Int64(bitPattern: next()) >> Int64(below(63))
    default: Int64(below(20))
    }
  }

  /// Returns a number as JSON text. The number may exceed 64 bits or be invalid.
  mutating func numeral() -> String {
    switch below(8) {
    case 0:
      pick([
        "-9223372036854775809", "9223372036854775808", "18446744073709551616", "9007199254740993.0", "1e308", "-1e308",
        "1e309", "1e-400", "0.5", "-0", "-0.0", "1e3", "1E+3", "00", "+1", "1.", ".5", "0x10", "NaN", "Infinity",
        "1e19",
        "٣", "",
      ])
    case 1: String(repeating: "9", count: 1 + below(400))
    case 2: "\(integer()).0"
    case 3: "\(integer())e\(below(40) - 20)"
    default: "\(integer())"
    }
  }

  // MARK: Texts

  private static let texts = [
    "", "a", "id", "event", "event_type", "conflict", "T", "E", "*", "properties.dose", "properties.", ".", "..", "%00",
    "%",
    "\u{0}", "\u{7F}", "\u{FEFF}", "\u{202E}", "é", "e\u{301}", "\u{1F600}", "2024-01-01T00:00:00.000Z",
    "9999-12-31T23:59:60Z",
    "0000-01-01T00:00:00+23:59", "-0001-01-01T00:00:00Z", "first", "event.0.a", "event.9223372036854775807.a", "null",
    "{}",
    "\"", "\\", "\r\n", "a/b", "delete", "create", "update", "restore", "accepted", "merged", "refused", "try_later",
  ]

  mutating func text() -> String {
    switch below(6) {
    case 0: String(repeating: pick(Self.texts), count: below(40))
    case 1: String(decoding: bytes(below(24)), as: UTF8.self)
    case 2: numeral()
    default: pick(Self.texts)
    }
  }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }

  // MARK: Changes

  /// Changes, removes, duplicates or truncates bytes, or replaces a number in the text.
  mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<1 + below(4) {
      guard !bytes.isEmpty else { return self.bytes(below(8)) }
      let place = below(bytes.count)
      let end = min(bytes.count, place + 1 + below(16))
      switch below(7) {
      case 0: bytes[place] = UInt8(truncatingIfNeeded: next())
      case 1: bytes[place] ^= 1 << UInt8(below(8))
      case 2: bytes.removeSubrange(place..<end)
      case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
      case 4: bytes.insert(contentsOf: Array(text().utf8), at: place)
      case 5: bytes.replaceSubrange(place..<bytes.count, with: [])
      default:
        let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        guard let first = bytes[place...].firstIndex(where: isDigit) else { continue }
        let last = bytes[first...].firstIndex { !isDigit($0) } ?? bytes.count
        bytes.replaceSubrange(first..<last, with: Array(numeral().utf8))
      }
    }
    return bytes
  }

  /// Returns a random JSON value, nested at most `depth` levels deep.
  mutating func value(depth: Int = 3) -> JSONValue {
    switch below(depth > 0 ? 9 : 7) {
    case 0: .null
    case 1: .bool(once(in: 2))
    case 2, 3: .int(integer())
    case 4: .double(pick([0.5, -1e308, 1e308, .leastNormalMagnitude, 1e19, -0.0, 9_007_199_254_740_992]))
    case 5, 6: .string(text())
    case 7: .array((0..<below(4)).map { _ in value(depth: depth - 1) })
    default:
      .object(Dictionary((0..<below(4)).map { _ in (text(), value(depth: depth - 1)) }, uniquingKeysWith: { $1 }))
    }
  }

  /// Mutates each number, string and member with probability 1 / `rarity`.
  mutating func mutated(_ value: JSONValue, rarity: Int) -> JSONValue {
    if once(in: rarity * 4) { return self.value() }
    switch value {
    case .null, .bool: return value
    case .int, .double: return once(in: rarity) ? .int(integer()) : value
    case .string: return once(in: rarity) ? .string(text()) : value
    case .array(let values):
      var changed: [JSONValue] = []
      for value in values where !once(in: rarity * 4) {
        changed.append(mutated(value, rarity: rarity))
        if once(in: rarity * 4) { changed.append(changed[below(changed.count)]) }
      }
      return .array(changed)
    case .object(let members):
      var changed: [String: JSONValue] = [:]
      for (name, value) in members.sorted(by: { $0.key < $1.key }) where !once(in: rarity * 4) {
        changed[once(in: rarity * 8) ? text() : name] = mutated(value, rarity: rarity)
      }
      return .object(changed)
    }
  }

  /// Mutates the document as JSON or as bytes, or leaves it unchanged.
  mutating func mutated(document: [UInt8], rarity: Int) -> [UInt8] {
    if once(in: 5) { return mutated(document) }
    guard let value = try? WireJSON.decode(JSONValue.self, from: Data(document)),
      let text = try? WireJSON.encode(mutated(value, rarity: rarity))
    else { return mutated(document) }
    return once(in: 12) ? mutated(Array(text)) : Array(text)
  }
}
