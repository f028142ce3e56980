import Foundation
import Testing
import TrendyModels

@Suite("JSONValue", .timeLimit(.minutes(10)))
struct JSONValueTests {
  private func decoded(_ text: String) throws -> JSONValue {
    let plain = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    #expect(try WireJSON.decode(JSONValue.self, from: Data(text.utf8)) == plain)
    return plain
  }

  private func text(_ value: JSONValue) throws -> String {
    String(decoding: try WireJSON.encode(value), as: UTF8.self)
  }

  @Test func `every literal gives a value`() {
    let value: JSONValue = [
      "null": nil, "yes": true, "whole": 5, "part": 5.5, "text": "x", "list": [1, "2", [false]], "object": ["a": [:]],
    ]
    #expect(
      value
        == .object([
          "null": .null, "yes": .bool(true), "whole": .int(5), "part": .double(5.5), "text": .string("x"),
          "list": .array([.int(1), .string("2"), .array([.bool(false)])]), "object": .object(["a": .object([:])]),
        ]))
    #expect(JSONValue.object(["a": 2]) == ["a": 1, "a": 2], "the last of two equal keys wins")
  }

  @Test func `each accessor returns values of its own kind only`() {
    let all: [JSONValue] = [nil, true, 5, 5.5, "x", [1], ["a": 1]]
    #expect(all.map(\.isNull) == [true, false, false, false, false, false, false])
    #expect(all.map(\.boolValue) == [nil, true, nil, nil, nil, nil, nil])
    #expect(all.map(\.intValue) == [nil, nil, 5, nil, nil, nil, nil])
    #expect(all.map(\.doubleValue) == [nil, nil, 5, 5.5, nil, nil, nil])
    #expect(all.map(\.stringValue) == [nil, nil, nil, nil, "x", nil, nil])
    #expect(all.map(\.arrayValue) == [nil, nil, nil, nil, nil, [1], nil])
    #expect(all.map(\.objectValue) == [nil, nil, nil, nil, nil, nil, ["a": 1]])
    #expect(JSONValue.double(5.0).intValue == 5)
    #expect(JSONValue.double(1e19).intValue == nil)
    #expect(JSONValue.double(.nan).intValue == nil)
  }

  private static let integers: [Int64] = [
    Int64.max, .min, .max - 1, .min + 1, 0, -1, 1, 9_007_199_254_740_992, 9_007_199_254_740_993, -9_007_199_254_740_993,
  ]

  @Test(
    "64-bit integers are exact through decoding and encoding",
    arguments: Self.integers)
  func integersAreExact(value: Int64) throws {
    let read = try decoded("\(value)")
    guard case .int(value) = read else {
      Issue.record("\(value) was read as \(read)")
      return
    }
    #expect(try text(read) == "\(value)")
    #expect(try text(["a": [.int(value)]]) == "{\"a\":[\(value)]}")
    #expect(read.intValue == value)
  }

  @Test func `booleans and numbers are distinct`() throws {
    for (written, isTrue) in [("true", true), ("false", false)] {
      let value = try decoded(written)
      #expect(value.boolValue == isTrue)
      #expect(value.intValue == nil && value.doubleValue == nil)
      #expect(try text(value) == written)
    }
    for written in ["0", "1", "-1"] {
      let value = try decoded(written)
      #expect(value.boolValue == nil)
      #expect(value.intValue == Int64(written))
      #expect(try text(value) == written)
    }
    #expect(JSONValue.bool(true) != .int(1))
    #expect(JSONValue.bool(false) != .double(0))
    #expect(JSONValue.bool(false) != .null)
    #expect(JSONValue.string("5") != .int(5))
  }

  private static let numbers: [(String, Double)] = [
    ("5.0", 5.0), ("1e3", 1000), ("1E+3", 1000), ("-0.0", 0), ("-0", 0), ("0.1", 0.1), ("1e300", 1e300),
    ("1.7976931348623157e308", .greatestFiniteMagnitude), ("5e-324", .leastNonzeroMagnitude), ("1e18", 1e18),
    ("1e19", 1e19), ("9223372036854775808", 9_223_372_036_854_775_808),
    ("18446744073709551615", 1.8446744073709552e19),
    ("123456789012345678901234567890", 1.2345678901234568e29), ("-122.4194", -122.4194),
    ("51.92700000000001", 51.92700000000001),
  ]

  @Test(
    "a number keeps its value, however it is written",
    arguments: Self.numbers)
  func numbersKeepTheirValue(written: String, value: Double) throws {
    let read = try decoded(written)
    #expect(read.doubleValue == value)
    #expect(read == .double(value))
    #expect(try decoded(text(read)) == read)
    #expect(try decoded("[\(written)]") == [.double(value)])
  }

  @Test func `a whole double is written without a fraction`() throws {
    #expect(try text(.double(4_611_686_018_427_387_904)) == "4611686018427387904")
    #expect(try text(.double(1e19)) == "1e+19")
    #expect(try text(.double(-5)) == "-5")
  }

  @Test("any double survives encoding and decoding", arguments: UInt64(1)...10)
  func anyDouble(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      let read = try decoded(text(.double(value)))
      #expect(read.doubleValue == value)
      #expect(read == .double(value))
      #expect(read.hashValue == JSONValue.double(value).hashValue)
    }
  }

  private static let equal: [(JSONValue, JSONValue)] = [
    (JSONValue.int(5), JSONValue.double(5)), (.double(0), .double(-0.0)), (.int(0), .double(-0.0)),
    (.int(1 << 53), .double(9_007_199_254_740_992)), (.int(.min), .double(-9_223_372_036_854_775_808)),
    (["a": [1, 2.0]], ["a": [1.0, 2]]),
  ]

  @Test(
    "equal values have the same hash",
    arguments: Self.equal)
  func equalMeansEqualHash(left: JSONValue, right: JSONValue) {
    #expect(left == right)
    #expect(right == left)
    #expect(left.hashValue == right.hashValue)
    #expect(Set([left, right]).count == 1)
  }

  private static let unequal: [(JSONValue, JSONValue)] = [
    (JSONValue.int(5), JSONValue.double(5.000_000_001)), (.int(.max), .double(9_223_372_036_854_775_808)),
    (.int((1 << 53) + 1), .double(9_007_199_254_740_992)), ([1, 2], [2, 1]), (["a": 1], ["a": 1, "b": nil]),
    (nil, [:]), ([], [:]), ("", nil), ("1", 1),
  ]

  @Test(
    "nearly equal values are not equal",
    arguments: Self.unequal)
  func nearIsNotEqual(left: JSONValue, right: JSONValue) {
    #expect(left != right)
    #expect(right != left)
  }

  @Test("any value survives writing and reading", arguments: UInt64(1)...20)
  func roundTrip(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let value = JSONValue.random(depth: 4, using: &random)
      #expect(try decoded(text(value)) == value)
      #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)) == value)
    }
  }

  @Test func `equal values are written as equal bytes, with members sorted by name`() throws {
    #expect(
      try text(["b": 1, "a": "x/y", "c": ["z": nil, "d": true]]) == #"{"a":"x/y","b":1,"c":{"d":true,"z":null}}"#)
  }

  @Test(
    "a number too large for a double is reported with its path",
    arguments: [
      ("1e400", "the document", 0), ("[1,1e400]", "[1]", 3), (#"{"a":[{"b":-1e999}]}"#, "a[0].b", 11),
      ("[" + String(repeating: "9", count: 310) + "]", "[0]", 1),
    ])
  func tooLarge(written: String, place: String, byte: Int) {
    #expect(throws: APIError.decodingError("\(place): expected a number below 1.8e308, at byte \(byte)")) {
      try WireJSON.decode(JSONValue.self, from: Data(written.utf8))
    }
  }

  @Test("a value without a JSON form is rejected", arguments: [Double.infinity, -.infinity, .nan])
  func noText(value: Double) {
    #expect(throws: APIError.decodingError("cannot encode as JSON: a: \(value) cannot be represented in JSON")) {
      try WireJSON.encode(["a": JSONValue.double(value)])
    }
  }
}

extension JSONValue {
  /// Returns a random value with arrays and objects nested up to `depth` times.
  static func random(depth: Int, using random: inout SeededGenerator) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &random))
    case 2: return .int(Int64(bitPattern: random.next()))
    case 3: return .int(Int64.random(in: -10...10, using: &random))
    case 4: return .double(Double.random(in: -1e6...1e6, using: &random))
    case 5: return .string(.random(using: &random))
    case 6:
      return .array((0..<Int.random(in: 0...4, using: &random)).map { _ in .random(depth: depth - 1, using: &random) })
    default:
      var members: [String: JSONValue] = [:]
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        members[.random(using: &random)] = .random(depth: depth - 1, using: &random)
      }
      return .object(members)
    }
  }
}

extension String {
  /// Returns short random text with characters that are often encoded incorrectly.
  static func random(using random: inout SeededGenerator) -> String {
    let letters: [Character] = [
      "a", "Z", "0", " ", "\"", "\\", "/", "\n", "\u{1}", "é", "漢", "👩‍👩‍👧", "\u{2028}", "<", "&",
    ]
    return String((0..<Int.random(in: 0...8, using: &random)).map { _ in letters.randomElement(using: &random)! })
  }
}
