import Testing
import TrendyModels

@Suite("Skip")
struct SkipTests {
  private func days(_ first: String, _ last: String) throws -> ClosedRange<CivilDate> {
    try #require(CivilDate(first))...(try #require(CivilDate(last)))
  }

  @Test func `a skip is stored as its first and last date`() throws {
    let skip = Skip(id: "s", eventTypeId: "t", days: try days("2026-11-20", "2026-11-22"), note: "flu")
    #expect(skip.record.fields["from"] == "2026-11-20" && skip.record.fields["to"] == "2026-11-22")
    #expect(Skip(skip.record) == skip)
  }

  @Test(
    "a record without two dates in order is no skip",
    arguments: [
      ["from": "2026-11-22", "to": "2026-11-20"], ["from": "2026-11-22"],
      ["from": "2026-11-22T00:00:00.000Z", "to": "2026-11-23T00:00:00.000Z"],
    ] as [[String: JSONValue]])
  func invalid(fields: [String: JSONValue]) {
    let record = SyncedRecord(id: "s", kind: .skip, fields: fields.merging(["event_type_id": "t"]) { $1 })
    #expect(Skip(record) == nil)
  }

  @Test(
    "clearing days leaves the days before and after them",
    arguments: [
      ("2026-11-20", "2026-11-20", ["2026-11-21 2026-11-25"]),
      ("2026-11-22", "2026-11-23", ["2026-11-20 2026-11-21", "2026-11-24 2026-11-25"]),
      ("2026-11-24", "2026-12-24", ["2026-11-20 2026-11-23"]), ("2026-11-01", "2026-11-30", []),
      ("2026-12-01", "2026-12-02", ["2026-11-20 2026-11-25"]),
    ])
  func clearing(first: String, last: String, rest: [String]) throws {
    let skip = Skip(id: "s", eventTypeId: "t", days: try days("2026-11-20", "2026-11-25"))
    let parts = skip.without(try days(first, last), ids: ["a", "b"])
    #expect(parts.map { "\($0.days.lowerBound) \($0.days.upperBound)" } == rest)
  }

  @Test func `days of skips are united by type`() throws {
    let records = [
      Skip(id: "a", eventTypeId: "t", days: try days("2026-11-20", "2026-11-21")),
      Skip(id: "b", eventTypeId: "t", days: try days("2026-11-22", "2026-11-22")),
      Skip(id: "c", eventTypeId: "u", days: try days("2026-11-30", "2026-11-30")),
    ].map(\.record)
    let skipped = Skip.days(in: records)
    #expect(skipped["t"]?.covers(try days("2026-11-20", "2026-11-22")) == true)
    #expect(skipped["u"] == [try #require(CivilDate("2026-11-30"))] && skipped.count == 2)
  }
}
