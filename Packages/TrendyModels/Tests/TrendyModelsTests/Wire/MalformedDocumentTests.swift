import Foundation
import Testing
import TrendyModels

@Suite("Malformed documents", .timeLimit(.minutes(10)))
struct MalformedDocumentTests {
  private func complaint<Value: Decodable>(_ type: Value.Type, _ text: String) -> String {
    do {
      _ = try WireJSON.decode(type, from: Data(text.utf8))
      return "nothing"
    } catch let APIError.decodingError(text) {
      return text
    } catch {
      return "another error: \(error)"
    }
  }

  private static let events: [(String, String)] = [
    (#"{}"#, "id: expected a string, found nothing"),
    (#"{"id":5}"#, "id: expected a string, found a number, at byte 6"),
    (#"{"id":null}"#, "id: expected a string, found null, at byte 6"),
    (#"{"id":{}}"#, "id: expected a string, found an object, at byte 6"),
    (#"{"id":"e"}"#, "event_type_id: expected a string, found nothing"),
    (
      #"{"id":"e","event_type_id":"t"}"#,
      "timestamp: expected an RFC 3339 date such as 2024-01-01T00:00:00.000Z, found nothing"
    ),
    (
      #"{"id":"e","event_type_id":"t","timestamp":"2023-02-29T00:00:00Z"}"#,
      "timestamp: expected an RFC 3339 date such as 2024-01-01T00:00:00.000Z, found \"2023-02-29T00:00:00Z\", at byte 42"
    ),
    (
      #"{"id":"e","event_type_id":"t","timestamp":1704067200}"#,
      "timestamp: expected a string, found a number, at byte 42"
    ),
    (#"{"id":"e","event_type_id":"t","timestamp":null}"#, "timestamp: expected a string, found null, at byte 42"),
    (
      #"{"id":"e","event_type_id":"t","timestamp":"2024-01-01T00:00:00Z","end_date":"later"}"#,
      "end_date: expected an RFC 3339 date such as 2024-01-01T00:00:00.000Z, found \"later\", at byte 76"
    ),
    (
      #"{"id":"e","event_type_id":"t","timestamp":"2024-01-01T00:00:00Z","is_all_day":1}"#,
      "is_all_day: expected true or false, found a number, at byte 78"
    ),
    (
      #"{"id":"e","event_type_id":"t","timestamp":"2024-01-01T00:00:00Z","location_latitude":"52"}"#,
      "location_latitude: expected a number, found a string, at byte 85"
    ),
    (
      #"{"id":"e","event_type_id":"t","timestamp":"2024-01-01T00:00:00Z","location_latitude":true}"#,
      "location_latitude: expected a number, found a Boolean, at byte 85"
    ),
    (
      #"{"id":"e","event_type_id":"t","timestamp":"2024-01-01T00:00:00Z","location_latitude":1e999}"#,
      "location_latitude: expected a number below 1.8e308, at byte 85"
    ),
    (
      #"{"id":"e","event_type_id":"t","timestamp":"2024-01-01T00:00:00Z","properties":[]}"#,
      "properties: expected an object, found an array, at byte 78"
    ),
    (
      #"{"id":"e","event_type_id":"t","timestamp":"2024-01-01T00:00:00Z","properties":{"p":5}}"#,
      "properties.p: expected an object, found a number, at byte 83"
    ),
    (
      #"{"id":"e","event_type_id":"t","timestamp":"2024-01-01T00:00:00Z","properties":{"p":{"type":"text"}}}"#,
      "properties.p.value: expected a value, found nothing"
    ),
    (
      #"{"id":"e","event_type_id":"t","timestamp":"2024-01-01T00:00:00Z","event_type":{"id":"t"}}"#,
      "event_type.name: expected a string, found nothing"
    ),
    ("[]", "the document: expected an object, found an array, at byte 0"),
    ("\"e\"", "the document: expected an object, found a string, at byte 0"),
    ("null", "the document: expected an object, found null, at byte 0"),
    ("", "expected a JSON document, found nothing"),
    ("<html><body>502</body>", "expected a JSON document, found \"<html><body>502</body>\""),
    (#"{"id":"e","#, "the document: unexpected end of the document, expected a member name, at byte 10"),
    (
      "<!DOCTYPE html><html lang=\"en\"><head><title>Bad gateway</title>",
      "expected a JSON document, found \"<!DOCTYPE html><html lang=\"en\"><head><ti…\""
    ),
  ]

  @Test("an error names the invalid field of an event and the expected value", arguments: events.indices)
  func event(index: Int) {
    let (document, expected) = Self.events[index]
    #expect(complaint(APIEvent.self, document) == expected)
  }

  private static let pages: [(String, String)] = [
    (#"{"changes":{}}"#, "changes: expected an array, found an object, at byte 11"),
    (#"{"changes":[]}"#, "next_cursor: expected a whole number, found nothing"),
    (#"{"changes":[],"next_cursor":"1"}"#, "next_cursor: expected a whole number, found a string, at byte 28"),
    (
      #"{"changes":[],"next_cursor":9223372036854775808}"#,
      "next_cursor: expected a whole number, found a number out of range, at byte 28"
    ),
    (
      #"{"changes":[],"next_cursor":1.5}"#,
      "next_cursor: expected a whole number, found a number out of range, at byte 28"
    ),
    (
      #"{"changes":[],"next_cursor":1,"has_more":"no"}"#, "has_more: expected true or false, found a string, at byte 41"
    ),
    (#"{"changes":[5]}"#, "changes[0]: expected an object, found a number, at byte 12"),
    (#"{"changes":[{"id":1},{}]}"#, "changes[0].entity_type: expected a string, found nothing"),
    (
      #"{"changes":[\#(good),\#(good),\#(good),{"id":4,"entity_type":7}]}"#,
      "changes[3].entity_type: expected a string, found a number, at byte 238"
    ),
    (#"{"changes":[\#(good),{"id":true}]}"#, "changes[1].id: expected a whole number, found a Boolean, at byte 86"),
    (
      #"{"changes":[\#(good),{"id":-1,"entity_type":"e","operation":"o","entity_id":"i"}]}"#,
      "changes[1].id: expected a whole number from 0 to 4611686018427387903, found -1, at byte 86"
    ),
    (
      #"{"changes":[{"id":2,"entity_type":"e","operation":"o","entity_id":"i","data":{"a":[0,{"b":1e999}]}}]}"#,
      "changes[0].data.a[1].b: expected a number below 1.8e308, at byte 90"
    ),
  ]
  private static let good = #"{"id":1,"entity_type":"event","operation":"delete","entity_id":"e"}"#

  @Test("an error names the path in a page of the feed", arguments: pages.indices)
  func feed(index: Int) {
    let (document, expected) = Self.pages[index]
    #expect(complaint(ChangeFeedResponse.self, document) == expected)
  }

  @Test func `a plain decoder's error contains the path`() throws {
    let document = Data(#"{"changes":[],"next_cursor":1.5,"has_more":false}"#.utf8)
    do {
      _ = try JSONDecoder().decode(ChangeFeedResponse.self, from: document)
      Issue.record("1.5 was read as a cursor")
    } catch DecodingError.dataCorrupted(let context) {
      #expect(context.codingPath.map(\.stringValue) == ["next_cursor"])
    }
  }

  @Test func `errors of the other documents are clear as well`() {
    #expect(
      complaint(APIGeofence.self, #"{"id":"g","name":"n","latitude":"x"}"#)
        == "latitude: expected a number, found a string, at byte 32")
    #expect(
      complaint(
        APIPropertyDefinition.self,
        #"{"id":"p","event_type_id":"t","key":"k","label":"l","property_type":"text","options":"a"}"#)
        == "options: expected an array, found a string, at byte 85")
    #expect(
      complaint(
        APIPropertyDefinition.self,
        #"{"id":"p","event_type_id":"t","key":"k","label":"l","property_type":"text","options":["a",1]}"#)
        == "options[1]: expected a string, found a number, at byte 90")
    #expect(
      complaint(UpdateEventRequest.self, #"{"properties":{"p":{"value":1}}}"#)
        == "properties.p.type: expected a string, found nothing")
    #expect(
      complaint(UpdateEventRequest.self, #"{"end_date":7}"#)
        == "end_date: expected a string, found a number, at byte 12")
    #expect(
      complaint(BatchCreateEventsResponse.self, #"{"created":[],"total":1}"#)
        == "success: expected a whole number, found nothing")
    #expect(complaint([APIEvent].self, #"[{"id":"e"}]"#) == "[0].event_type_id: expected a string, found nothing")
    #expect(
      complaint(PushRequest.self, #"{"device":"d","acked_through":0}"#) == "mutations: expected an array, found nothing"
    )
  }
}
