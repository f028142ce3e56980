import Foundation
import Testing
import TrendyModels

@Suite("PropertyValue", .timeLimit(.minutes(10)))
struct PropertyValueTests {
  private static let examples: [(type: PropertyType, value: JSONValue)] = [
    (.text, "black, no sugar"), (.number, 2.5), (.boolean, true), (.date, "2024-01-01T00:00:00.000Z"),
    (.select, "oat"), (.duration, 90), (.url, "https://example.org/a"), (.email, "a@example.org"),
  ]

  @Test func `the eight types have their names on the wire`() {
    #expect(
      PropertyType.allCases.map(\.rawValue) == [
        "text", "number", "boolean", "date", "select", "duration", "url", "email",
      ])
    #expect(Self.examples.map(\.type) == PropertyType.allCases)
  }

  @Test func `each type has a factory and literals give common values`() {
    let made: [PropertyValue] = [
      .text("black, no sugar"), .number(2.5), .boolean(true), .date(Date(timeIntervalSince1970: 1_704_067_200)),
      .select("oat"), .duration(90), .url("https://example.org/a"), .email("a@example.org"),
    ]
    #expect(made == Self.examples.map { PropertyValue(type: $0.type, value: $0.value) })
    #expect(PropertyValue.duration(.milliseconds(1500)) == .duration(1.5))
    let literals: [String: PropertyValue] = ["a": "text", "b": 3, "c": 2.5, "d": true]
    #expect(literals == ["a": .text("text"), "b": .number(3), "c": .number(2.5), "d": .boolean(true)])
    #expect(literals["b"]?.value == .int(3))
  }

  @Test("each type survives encoding and decoding", arguments: Self.examples.indices)
  func survivesTheWire(index: Int) throws {
    let (type, value) = Self.examples[index]
    let property = PropertyValue(type: type, value: value)
    let data = try WireJSON.encode(APIPropertyValue(property))
    let read = try WireJSON.decode(APIPropertyValue.self, from: data)
    #expect(read.type == type.rawValue)
    #expect(PropertyValue(read) == property)
    #expect(try JSONDecoder().decode(APIPropertyValue.self, from: JSONEncoder().encode(read)) == read)
  }

  @Test func `accessors return the value or nil for other types`() {
    let number = PropertyValue(type: .number, value: 5.0)
    #expect(number.intValue == 5)
    #expect(number.doubleValue == 5)
    #expect(number.stringValue == nil && number.boolValue == nil && number.dateValue == nil)
    #expect(PropertyValue(type: .number, value: 5.5).intValue == nil)
    #expect(PropertyValue(type: .duration, value: 90).doubleValue == 90)
    let flag = PropertyValue(type: .boolean, value: true)
    #expect(flag.boolValue == true)
    #expect(flag.intValue == nil && flag.doubleValue == nil)
    let date = PropertyValue(type: .date, value: "2024-01-01T01:00:00+01:00")
    #expect(date.dateValue == Date(timeIntervalSince1970: 1_704_067_200))
    #expect(date.stringValue == "2024-01-01T01:00:00+01:00")
    #expect(PropertyValue(type: .date, value: "soon").dateValue == nil)
    #expect(PropertyValue(type: .text, value: nil).stringValue == nil)
  }

  private static let sameMeaning: [(PropertyType, JSONValue, JSONValue)] = [
    (.number, 5, 5.0),
    (.duration, 90, 90.0),
    (.date, "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000Z"),
    (.date, "2024-01-01T00:00:00Z", "2024-01-01T05:45:00+05:45"),
    (.date, "2024-01-01T00:00:00.5Z", "2023-12-31t19:00:00.500000-05:00"),
    (.date, "soon", "soon"),
    (.text, "5", "5"),
  ]

  @Test(
    "values of one type with the same meaning are equal and have the same hash",
    arguments: Self.sameMeaning)
  func equalByMeaning(type: PropertyType, left: JSONValue, right: JSONValue) {
    let left = PropertyValue(type: type, value: left)
    let right = PropertyValue(type: type, value: right)
    #expect(left == right)
    #expect(left.hashValue == right.hashValue)
    #expect(APIPropertyValue(left) == APIPropertyValue(right))
    #expect(APIPropertyValue(left).hashValue == APIPropertyValue(right).hashValue)
  }

  private static let otherMeaning: [(PropertyType, JSONValue, JSONValue)] = [
    (.number, 5, 5.1), (.boolean, true, 1), (.boolean, true, false),
    (.date, "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.001Z"), (.date, "2024-01-01T00:00:00Z", "soon"),
    // Text values are compared as strings, even if they contain dates.
    (.text, "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000Z"), (.text, "", nil),
  ]

  @Test(
    "values with different meaning are not equal",
    arguments: Self.otherMeaning)
  func notEqual(type: PropertyType, left: JSONValue, right: JSONValue) {
    #expect(PropertyValue(type: type, value: left) != PropertyValue(type: type, value: right))
  }

  @Test func `the same value with two types is two different values`() {
    #expect(PropertyValue(type: .number, value: 5) != PropertyValue(type: .duration, value: 5))
    #expect(APIPropertyValue(type: "number", value: 5) != APIPropertyValue(type: "duration", value: 5))
  }

  @Test func `a value of an unknown type is nil in the domain and compared by type name on the wire`() {
    let value = APIPropertyValue(type: "colour", value: 5)
    #expect(PropertyValue(value) == nil)
    #expect(value == APIPropertyValue(type: "colour", value: 5.0))
    #expect(value.hashValue == APIPropertyValue(type: "colour", value: 5.0).hashValue)
    #expect(value != APIPropertyValue(type: "mood", value: 5))
  }
}
