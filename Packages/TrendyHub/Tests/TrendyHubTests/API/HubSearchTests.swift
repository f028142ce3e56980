import Foundation
import Testing
import TrendyHub
import TrendyModels

@Suite("Search at the hub", .timeLimit(.minutes(10)))
struct HubSearchTests {
  private let hub: TestHub

  init() throws { hub = try TestHub() }

  private func make(_ events: [JSONValue]) async throws {
    for start in stride(from: 0, to: events.count, by: 500) {
      let part = Array(events[start..<min(start + 500, events.count)])
      #expect(try await hub.send("POST", "/events/batch", ["events": .array(part)])["failed"] == 0)
    }
  }

  private func event(_ id: Int, hours: Int, _ note: String) -> JSONValue {
    [
      "id": .string("e\(id)"), "event_type_id": "t",
      "timestamp": .string(RFC3339.string(from: Date(timeIntervalSince1970: 1_704_067_200 - Double(hours) * 3600))),
      "notes": .string(note),
    ]
  }

  /// Returns the event ids from all pages of a search.
  private func found(_ text: String, at hub: TestHub) async throws -> [String] {
    var (ids, before): ([String], String?) = ([], "")
    while let moment = before {
      let query = "text=\(text)&limit=200" + (moment.isEmpty ? "" : "&before=\(moment)")
      let answer = try await hub.send("GET", "/events/search?\(query)")
      #expect(answer.status == 200, "\(answer.detail)")
      ids += answer["events"].arrayValue?.compactMap { $0["id"].stringValue } ?? []
      before = answer["next"].stringValue
    }
    return ids
  }

  @Test func `text filters of months do not change the search results after any write`() async throws {
    try await hub.makeType()
    try await hub.makeType("u", name: "Lunch")
    // Use fourteen months, so the search skips most of them by their filters.
    try await make((0..<900).map { event($0, hours: $0 * 11, $0 % 97 == 5 ? "Good soup \($0)" : "number \($0)") })
    let acts: [(String, String, JSONValue?)] = [
      ("PATCH", "/events/e20", nil), ("PATCH", "/events/e700", ["notes": "Zebra and soup"]),
      ("PATCH", "/events/e850", ["timestamp": "2023-11-05T00:00:00Z"]),
      ("PATCH", "/events/e851", ["properties": ["what": ["type": "text", "value": "ZEBRA"]]]),
      ("DELETE", "/events/e700", nil), ("POST", "/events/e700/restore", nil),
      ("POST", "/events", event(1000, hours: 9000, "zebra \u{212A}elvin")),
      ("PATCH", "/events/e860", ["notes": "o\u{308}l \u{130}stanbul"]), ("PATCH", "/event-types/u", ["name": "Zebra"]),
      ("PATCH", "/events/e870", ["event_type_id": "u"]),
    ]
    let words = ["zebra", "soup", "good+soup", "number", "kelvin", "istanbul", "nowhere", "e70", "12", "lunch"]
    for (method, path, body) in acts {
      if body != nil || method != "PATCH" {
        let answer = try await hub.send(method, path, body)
        #expect(answer.status < 300, "\(method) \(path): \(answer.detail)")
      }
      for word in words {
        let anew = try await found(word, at: hub.withNothingRead)
        let known = try await found(word, at: hub)
        #expect(known == anew, "\(word) after \(method) \(path)")
      }
    }
    #expect(try await found("zebra", at: hub).count == 4)
    let soup = try await found("soup", at: hub)
    #expect(soup.count == 11, "\(soup)")
  }

  @Test func `a search without a match builds the filters that let later ones skip the record`() async throws {
    try await hub.makeType()
    try await make((0..<11_000).map { event($0, hours: $0, "number \($0)") })
    let first = try await hub.send("GET", "/events/search?text=nowhere")
    #expect(first["events"] == [] && !first["next"].isNull, "a part of the record")
    #expect(try await found("nowhere", at: hub) == [])
    let second = try await hub.send("GET", "/events/search?text=elsewhere")
    #expect(second["events"] == [] && second["next"].isNull, "all of it")
    #expect(try await hub.send("PATCH", "/events/e10000", ["notes": "elsewhere"]).status == 200)
    let third = try await hub.send("GET", "/events/search?text=elsewhere")
    #expect(third["events"][0]["id"] == "e10000", "\(third.detail)")
  }
}
