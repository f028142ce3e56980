import Foundation
import Testing
import TrendyModels

/// Compares both parsers on the same text. The results may differ only in the ways listed in
/// `docs/decisions/0002-parse-json-and-xml-in-swift.md`; each difference has a test in ``StrictJSONTests``.
@Suite("WireJSON and Foundation", .timeLimit(.minutes(10)))
struct JSONAgainstFoundationTests {
  private func own(_ text: [UInt8]) throws -> JSONValue {
    try WireJSON.decode(JSONValue.self, from: Data(text))
  }

  private func foundations(_ text: [UInt8]) -> JSONValue? {
    try? JSONDecoder().decode(JSONValue.self, from: Data(text))
  }

  /// Parts of the error messages for text that only Foundation accepts.
  private static let listed = [
    "duplicate member", "levels of nesting", "unpaired surrogate",
  ]

  private func compare(_ text: [UInt8]) {
    let other = foundations(text)
    do {
      let value = try own(text)
      guard let other else {
        Issue.record("Foundation refuses \(String(decoding: text, as: UTF8.self)), read here as \(value)")
        return
      }
      #expect(agree(value, other), "\(String(decoding: text, as: UTF8.self))")
    } catch {
      guard other != nil else { return }
      let words = "\(error)"
      #expect(
        Self.listed.contains { words.contains($0) },
        "only Foundation reads \(text.count) bytes, \(String(decoding: text, as: UTF8.self)): \(words)")
    }
  }

  /// Numbers with a fraction or an exponent are doubles in WireJSON. Foundation converts such numbers to integers where
  /// possible, and even converts 16559495365975129.3 without its fraction.
  private func agree(_ left: JSONValue, _ right: JSONValue) -> Bool {
    switch (left, right) {
    case (.double(let left), .int(let right)): abs(left - Double(right)) <= left.ulp
    case (.array(let left), .array(let right)): left.count == right.count && zip(left, right).allSatisfy(agree)
    case (.object(let left), .object(let right)):
      left.count == right.count && left.allSatisfy { name, value in right[name].map { agree(value, $0) } ?? false }
    default: left == right
    }
  }

  @Test("both agree on any document", arguments: UInt64(1)...40)
  func anyDocument(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let text = DocumentText.random(depth: 5, using: &random)
      let value = try own(text)
      let other = try #require(foundations(text), "\(String(decoding: text, as: UTF8.self))")
      #expect(agree(value, other), "\(String(decoding: text, as: UTF8.self))")
      #expect(try WireJSON.decode(JSONValue.self, from: WireJSON.encode(value)) == value)
    }
  }

  @Test("both agree on damaged documents", arguments: UInt64(1)...40)
  func damaged(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      var text = DocumentText.random(depth: 3, using: &random)
      for _ in 0..<Int.random(in: 1...2, using: &random) { DocumentText.damage(&text, using: &random) }
      compare(text)
    }
  }

  @Test("both agree on any number", arguments: UInt64(1)...20)
  func numbers(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var text: [UInt8] = []
      DocumentText.appendNumber(to: &text, using: &random)
      compare(text)
      let written = String(decoding: text, as: UTF8.self)
      let nearest = try #require(Double(written))
      if nearest.isFinite {
        #expect(try WireJSON.decode(Double.self, from: Data(text)).bitPattern == nearest.bitPattern, "\(written)")
      }
    }
  }

  @Test("both write the same bytes", arguments: UInt64(1)...40)
  func writeTheSame(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    for _ in 0..<50 {
      let value = JSONValue.random(depth: 4, using: &random)
      let text = String(decoding: try WireJSON.encode(value), as: UTF8.self)
      #expect(text == String(decoding: try encoder.encode(value), as: UTF8.self))
    }
  }

  @Test("both agree on an event, member by member", arguments: UInt64(1)...20)
  func events(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    for _ in 0..<20 {
      var event = APIEvent(
        id: .random(using: &random), eventTypeId: "t",
        timestamp: Date(timeIntervalSinceReferenceDate: Double(Int.random(in: -9_000_000...9_000_000, using: &random))))
      event.notes = Bool.random(using: &random) ? .random(using: &random) : nil
      event.locationLatitude = Bool.random(using: &random) ? Double.random(in: -90...90, using: &random) : nil
      event.properties = [
        .random(using: &random): APIPropertyValue(type: "x", value: .random(depth: 3, using: &random))
      ]
      event.unknownFields = ["a\(seed)": .random(depth: 2, using: &random), "zz": 1, "id": "another"]
      let text = try WireJSON.encode(event)
      event.unknownFields["id"] = nil
      #expect(try WireJSON.encode(event) == text, "a known member stands in for an unknown one of its name")
      #expect(String(decoding: text, as: UTF8.self) == String(decoding: try encoder.encode(event), as: UTF8.self))
      #expect(try WireJSON.decode(APIEvent.self, from: text) == event)
      #expect(try JSONDecoder().decode(APIEvent.self, from: text) == event)
    }
  }
}

/// Generates JSON text in more variants than a writer would.
enum DocumentText {
  static func random(depth: Int, using random: inout SeededGenerator) -> [UInt8] {
    var text: [UInt8] = []
    appendBlanks(to: &text, using: &random)
    append(depth: depth, to: &text, using: &random)
    appendBlanks(to: &text, using: &random)
    return text
  }

  static func damage(_ text: inout [UInt8], using random: inout SeededGenerator) {
    guard !text.isEmpty else { return }
    let place = Int.random(in: text.indices, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: text.remove(at: place)
    case 1: text.insert(Array(#"{}[]",:\0123456789.eE+-tfnu"#.utf8).randomElement(using: &random)!, at: place)
    case 2: text[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 3: text.removeSubrange(place...)
    default:
      let other = Int.random(in: text.indices, using: &random)
      text.swapAt(place, other)
    }
  }

  private static func append(depth: Int, to text: inout [UInt8], using random: inout SeededGenerator) {
    switch Int.random(in: 0..<(depth > 0 ? 9 : 5), using: &random) {
    case 0: text += ["null", "true", "false"].randomElement(using: &random)!.utf8
    case 1, 2: appendNumber(to: &text, using: &random)
    case 3, 4: appendString(to: &text, using: &random)
    case 5, 6:
      text.append(UInt8(ascii: "["))
      appendBlanks(to: &text, using: &random)
      for index in 0..<Int.random(in: 0...4, using: &random) {
        if index > 0 { appendComma(to: &text, using: &random) }
        append(depth: depth - 1, to: &text, using: &random)
      }
      appendBlanks(to: &text, using: &random)
      text.append(UInt8(ascii: "]"))
    default:
      text.append(UInt8(ascii: "{"))
      appendBlanks(to: &text, using: &random)
      for index in 0..<Int.random(in: 0...5, using: &random) {
        if index > 0 { appendComma(to: &text, using: &random) }
        // The number keeps the names distinct.
        appendString(to: &text, unique: index, using: &random)
        appendBlanks(to: &text, using: &random)
        text.append(UInt8(ascii: ":"))
        appendBlanks(to: &text, using: &random)
        append(depth: depth - 1, to: &text, using: &random)
      }
      appendBlanks(to: &text, using: &random)
      text.append(UInt8(ascii: "}"))
    }
  }

  private static func appendComma(to text: inout [UInt8], using random: inout SeededGenerator) {
    appendBlanks(to: &text, using: &random)
    text.append(UInt8(ascii: ","))
    appendBlanks(to: &text, using: &random)
  }

  private static func appendBlanks(to text: inout [UInt8], using random: inout SeededGenerator) {
    guard Int.random(in: 0..<4, using: &random) == 0 else { return }
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      text.append([0x20, 0x09, 0x0A, 0x0D].randomElement(using: &random)!)
    }
  }

  static func appendNumber(to text: inout [UInt8], using random: inout SeededGenerator) {
    func digits(_ range: ClosedRange<Int>) -> String {
      (0..<Int.random(in: range, using: &random)).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
    }
    if Bool.random(using: &random) { text.append(UInt8(ascii: "-")) }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: text.append(UInt8(ascii: "0"))
    case 1: text += "\(Int.random(in: 1...9, using: &random))\(digits(0...25))".utf8
    default: text += "\(Int.random(in: 1...9, using: &random))\(digits(0...6))".utf8
    }
    if Bool.random(using: &random) { text += ".\(digits(1...18))".utf8 }
    if Int.random(in: 0..<3, using: &random) == 0 {
      text += ["e", "E", "e+", "e-", "E-"].randomElement(using: &random)!.utf8
      text += digits(1...2).utf8
    }
  }

  private static func appendString(to text: inout [UInt8], unique: Int? = nil, using random: inout SeededGenerator) {
    let pieces = [
      "a", "Zz", "plain text of some length", #"\""#, #"\\"#, #"\/"#, #"\b\f\n\r\t"#, #"\u0000"#, #"\u00e9"#,
      #"\uD83D\uDE00"#,
      "é", "漢字", "👩‍👩‍👧", "\u{2028}", "/", "\u{7F}",
    ]
    text.append(UInt8(ascii: "\""))
    if let unique { text += "\(unique)".utf8 }
    for _ in 0..<Int.random(in: 0...4, using: &random) { text += pieces.randomElement(using: &random)!.utf8 }
    text.append(UInt8(ascii: "\""))
  }
}
