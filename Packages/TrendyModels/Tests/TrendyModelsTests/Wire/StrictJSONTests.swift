import Foundation
import Testing
import TrendyModels

@Suite("Strictness of WireJSON", .timeLimit(.minutes(10)))
struct StrictJSONTests {
  private func complaint(_ bytes: some Sequence<UInt8>, limits: JSONLimits = JSONLimits()) -> String {
    do {
      let value = try WireJSON.decode(JSONValue.self, from: Data(bytes), limits: limits)
      return "read as \(value)"
    } catch let APIError.decodingError(text) {
      return text
    } catch {
      return "another error: \(error)"
    }
  }

  private static let refused: [(String, String)] = [
    ("01", "the document: a number has a leading zero, at byte 0"),
    ("-01", "the document: a number has a leading zero, at byte 0"),
    ("-", "the document: unexpected end of the document, expected a digit, at byte 1"),
    ("+1", #"expected a JSON document, found "+1""#),
    ("[+1]", "[0]: expected a value, at byte 1"),
    ("[.5]", "[0]: expected a value, at byte 1"),
    ("[5.]", "[0]: expected a digit, at byte 3"),
    ("[1e]", "[0]: expected a digit, at byte 3"),
    ("[1e+]", "[0]: expected a digit, at byte 4"),
    ("[0x10]", "the document: expected a comma or the end of the array, at byte 2"),
    ("[NaN]", "[0]: expected a value, at byte 1"),
    ("[Infinity]", "[0]: expected a value, at byte 1"),
    ("[-Infinity]", "[0]: expected a digit, at byte 2"),
    ("[True]", "[0]: expected a value, at byte 1"),
    ("[nul]", "[0]: expected a value, at byte 1"),
    ("[1,]", "[1]: expected a value, at byte 3"),
    ("[,1]", "[0]: expected a value, at byte 1"),
    ("[1 2]", "the document: expected a comma or the end of the array, at byte 3"),
    ("[1}", "the document: expected a comma or the end of the array, at byte 2"),
    (#"{"a":1,}"#, "the document: expected a member name, at byte 7"),
    (#"{"a" 1}"#, "a: expected a colon, at byte 5"),
    (#"{a:1}"#, "the document: expected a member name, at byte 1"),
    (#"{'a':1}"#, "the document: expected a member name, at byte 1"),
    (#"{"a":1]"#, "the document: expected a comma or the end of the object, at byte 6"),
    (#"{"a":{"b":[0,tru]}}"#, "a.b[1]: expected a value, at byte 13"),
    ("[1] 2", "the document: expected the end of the document, at byte 4"),
    ("[1]\u{0}", "the document: expected the end of the document, at byte 3"),
    ("[1]//", "the document: expected the end of the document, at byte 3"),
    ("\u{FEFF}[]", "expected a JSON document, found \"\u{FEFF}[]\""),
    (#"["a"#, "[0]: unexpected end of the document, expected the end of the string that begins at byte 1, at byte 3"),
    ("[\"a\nb\"]", "[0]: expected an escaped control character, at byte 3"),
    ("[\"a\u{0}b\"]", "[0]: expected an escaped control character, at byte 3"),
    (#"["\x41"]"#, "[0]: expected an escape, at byte 3"),
    (#"["\u12G4"]"#, "[0]: expected a hexadecimal digit, at byte 6"),
    (#"["\ud800"]"#, "[0]: an unpaired surrogate in an escape, at byte 2"),
    (#"["\udc00"]"#, "[0]: an unpaired surrogate in an escape, at byte 2"),
    (#"["\ud800\u0041"]"#, "[0]: an unpaired surrogate in an escape, at byte 2"),
    (#"["\ud800x"]"#, "[0]: an unpaired surrogate in an escape, at byte 2"),
    (#"{"a":1,"a":2}"#, #"the document: duplicate member "a" in an object, at byte 7"#),
    (#"{"b":{"x":[],"y":{},"x":0}}"#, #"b: duplicate member "x" in an object, at byte 20"#),
    (#"{"a":1,"\u0061":2}"#, #"the document: duplicate member "a" in an object, at byte 7"#),
    ("{\"\u{E9}\":1,\"e\u{301}\":2}", "the document: duplicate member \"e\u{301}\" in an object, at byte 8"),
  ]

  @Test("an error names the problem, the path and the byte", arguments: refused.indices)
  func refuses(index: Int) {
    let (text, expected) = Self.refused[index]
    let words = complaint(text.utf8)
    #expect(words == expected)
  }

  private static let noUTF8: [[UInt8]] = [
    [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x22], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
    [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
    [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
  ]

  @Test("invalid UTF-8 is rejected at any position in a string", arguments: noUTF8, [0, 1, 7, 8, 9, 15])
  func refusesBadUTF8(sequence: [UInt8], before: Int) {
    let padding = [UInt8](repeating: UInt8(ascii: "x"), count: before)
    let text = [UInt8(ascii: "\"")] + padding + sequence + Array(#"tail of the string""#.utf8)
    #expect(complaint(text) == "the document: a string contains invalid UTF-8, at byte \(before + 1)")
  }

  @Test("every character is accepted at any position in a word", arguments: 0..<17)
  func takesEveryCharacter(before: Int) throws {
    for sample in [
      "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}", "\u{7F}",
    ] {
      let text = String(repeating: "x", count: before) + sample + "y"
      #expect(try WireJSON.decode(JSONValue.self, from: Data("\"\(text)\"".utf8)).stringValue == text)
    }
    let escapes = String(repeating: "x", count: before) + #"\"\\\/\b\f\n\r\t\u0000\u00e9\ud83d\ude00!"#
    #expect(
      try WireJSON.decode(JSONValue.self, from: Data("\"\(escapes)\"".utf8)).stringValue
        == String(repeating: "x", count: before) + "\"\\/\u{8}\u{C}\n\r\t\u{0}\u{E9}\u{1F600}!")
  }

  @Test func `the depth is limited`() {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(complaint(nested(64).utf8).hasPrefix("read as"))
    #expect(
      complaint(nested(65).utf8)
        == String(repeating: "[0]", count: 64) + ": more than 64 levels of nesting, at byte 64")
    #expect(complaint(nested(3).utf8, limits: JSONLimits(depth: 3)).hasPrefix("read as"))
    #expect(complaint(nested(4).utf8, limits: JSONLimits(depth: 3)).contains("more than 3 levels"))
    #expect(complaint(nested(100_000).utf8).contains("more than 64"), "and no stack is used up")
    #expect(complaint(#"[[],[[]],{"a":[]}]"#.utf8, limits: JSONLimits(depth: 3)).hasPrefix("read as"))
  }

  @Test func `the length of a string is limited`() {
    #expect(complaint(#"["12345"]"#.utf8, limits: JSONLimits(stringBytes: 5)).hasPrefix("read as"))
    #expect(
      complaint(#"["123456"]"#.utf8, limits: JSONLimits(stringBytes: 5))
        == "[0]: a string is longer than 5 bytes, at byte 1")
  }

  @Test func `a repeated member is found among many`() throws {
    let names = (0..<500).map { "name \(($0 * 7919) % 500)" }
    let members = names.map { "\"\($0)\":1" }.joined(separator: ",")
    #expect(try WireJSON.decode([String: Int].self, from: Data("{\(members)}".utf8)).count == 500)
    #expect(complaint("{\(members),\"name 250\":2}".utf8).contains("duplicate member \"name 250\""))
  }

  @Test func `an event with more than 64 members keeps all unknown ones`() throws {
    let unknown = (0..<100).map { "\"x\(1000 + $0)\":\($0)" }.joined(separator: ",")
    let text = #"{"event_type_id":"t","id":"e",\#(unknown),"timestamp":"2024-01-01T00:00:00.000Z","user_id":"u"}"#
    let event = try WireJSON.decode(APIEvent.self, from: Data(text.utf8))
    #expect(event.unknownFields.count == 100)
    #expect(event.unknownFields["x1099"] == 99)
    #expect(event.userId == "u")
    #expect(event == (try JSONDecoder().decode(APIEvent.self, from: Data(text.utf8))))
  }

  @Test func `a plain Decodable type is decoded with the same rules`() throws {
    struct Note: Codable, Equatable { var text: String }
    #expect(try WireJSON.decode(Note.self, from: Data(#"{"text":"x"}"#.utf8)) == Note(text: "x"))
    #expect(throws: APIError.self) { try WireJSON.decode(Note.self, from: Data(#"{"text":"x","text":"y"}"#.utf8)) }
  }
}
