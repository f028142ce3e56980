import Foundation
import Testing
import TrendyModels

/// Tests all-day events and `date` properties that were recorded in another time zone.
@Suite("Dates across time zones", .waitsForPrograms, .timeLimit(.minutes(10)))
struct DateTests {
  static let zones = ["Pacific/Auckland", "Europe/Amsterdam", "UTC", "America/Los_Angeles"]

  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
    try bench.trendy("type", "add", "visa")
    try bench.trendy("type", "prop", "add", "visa", "due", "--kind", "date")
  }

  private func trendy(in zone: String, _ words: String...) throws -> Workbench.Result {
    try bench.run("trendy", ["--store", bench.store()] + words, environment: ["TZ": zone])
  }

  private func rows(_ result: Workbench.Result) -> [String] {
    result.output.split(separator: "\n").map(String.init)
  }

  @Test("an all-day event stays on its date", arguments: zones)
  func wholeDay(zone: String) throws {
    try bench.trendy("log", "mood", "--at", "2025-11-19 12:00", environment: ["TZ": "Pacific/Auckland"])
    _ = try trendy(in: "Pacific/Auckland", "log", "visa", "--at", "2025-11-20", "--all-day")
    _ = try trendy(in: "America/Los_Angeles", "log", "visa", "--at", "2025-11-20", "--all-day")
    for reader in Self.zones {
      let day = try trendy(in: reader, "list", "--since", "2025-11-20", "--until", "2025-11-20", "--type", "visa")
      #expect(
        rows(day).map { $0.prefix(15) } == ["Thu 20 Nov 2025", "  all day  visa", "  all day  visa", "2 entries"],
        "\(reader)")
      for other in ["2025-11-19", "2025-11-21"] {
        let day = try trendy(in: reader, "list", "--since", other, "--until", other, "--type", "visa")
        #expect(day.output == "No events found.\n", "\(reader) \(other)")
      }
    }
    let shown = try trendy(in: zone, "show", "@1")
    #expect(shown.output.contains("visa  Thu 20 Nov 2025"), "\(shown.output)")
    #expect(
      try trendy(in: zone, "show", "@1", "--json").document.objectValue?["event"]?.objectValue?["date"] == "2025-11-20")
    let cells = rows(try trendy(in: zone, "list", "--type", "visa", "--plain"))
    for row in cells { #expect(row.split(separator: "\t")[1].hasPrefix("2025-11-20T00:00:00"), "\(row)") }
  }

  @Test func `a list is ordered by date regardless of the zones in which the events were recorded`() throws {
    _ = try trendy(in: "Europe/Amsterdam", "log", "mood", "--at", "2025-11-19 8:00")
    _ = try trendy(in: "Europe/Amsterdam", "log", "mood", "--at", "2025-11-19 20:00")
    _ = try trendy(in: "Pacific/Auckland", "log", "visa", "--at", "2025-11-20", "--all-day")
    let list = rows(try trendy(in: "Europe/Amsterdam", "list")).map { String($0.prefix(10)) }
    #expect(list.dropLast() == ["Thu 20 Nov", "  all day ", "Wed 19 Nov", "  20:00  m", "  08:00  m"])
  }

  @Test func `an event of several days is shown with its first and last date`() throws {
    _ = try trendy(in: "Europe/Amsterdam", "log", "visa", "--from", "2025-11-18", "--to", "2025-11-20", "--all-day")
    for zone in Self.zones {
      let shown = try trendy(in: zone, "show", "@1")
      #expect(shown.output.contains("Tue 18 – Thu 20 Nov 2025"), "\(zone) \(shown.output)")
      let event = try trendy(in: zone, "show", "@1", "--json").document.objectValue?["event"]?.objectValue
      #expect(event?["date"] == "2025-11-18" && event?["last_date"] == "2025-11-20")
    }
  }

  @Test func `a date property stores the date as typed and is compared as a date`() throws {
    _ = try trendy(in: "Europe/Amsterdam", "log", "visa", "due=2025-01-02", "--at", "2025-01-03 9:15")
    _ = try trendy(in: "Pacific/Auckland", "log", "visa", "due=2025-01-02", "--at", "2025-01-03 9:15")
    for zone in Self.zones {
      for row in rows(try trendy(in: zone, "list", "--type", "visa")) where row.hasPrefix("  ") {
        #expect(row.contains("due Thu 2 Jan") && !row.contains(":00 "), "\(zone) \(row)")
      }
      for (condition, count) in [
        ("due=2025-01-02", 2), ("due<2025-01-02", 0), ("due>2025-01-01", 2), ("due>=2025-01-03", 0),
      ] {
        let found = try trendy(in: zone, "list", "--where", condition, "--plain")
        #expect(rows(found).count == count, "\(zone) \(condition)")
      }
      #expect(rows(try trendy(in: zone, "list", "--plain")).allSatisfy { $0.hasSuffix("due=2025-01-02") }, "\(zone)")
    }
    // Imported dates may have a different form: midnight in Amsterdam as a UTC timestamp.
    let line =
      #"{"event_type":"visa","time_zone":"Europe/Amsterdam","properties":{"due":{"type":"date","value":"2025-01-01T23:00:00.000Z"}}}"#
    let kept = try bench.shell("printf '%s' '\(line)' | TZ=UTC trendy log - --store \(bench.store())")
    #expect(kept.status == 0, "\(kept.talk)")
    #expect(try trendy(in: "America/Los_Angeles", "show", "@1").output.contains("due Thu 2 Jan 2025"))
  }

  @Test func `a date property with a time of day is an instant`() throws {
    _ = try trendy(in: "Europe/Amsterdam", "log", "visa", "due=2025-01-02 9:30")
    #expect(try trendy(in: "UTC", "show", "@1").output.contains("due Thu 2 Jan 2025 08:30"))
  }

  @Test func `a JSON line with a date records an all-day event`() throws {
    let line = #"{"event_type":"visa","date":"2025-11-20","is_all_day":true}"#
    let logged = try bench.shell("printf '%s' '\(line)' | TZ=Pacific/Auckland trendy log - --store \(bench.store())")
    #expect(logged.status == 0, "\(logged.talk)")
    #expect(try trendy(in: "UTC", "show", "@1").output.contains("visa  Thu 20 Nov 2025"))
    let wrong = try bench.shell(
      #"printf '%s' '{"event_type":"visa","date":"20 Nov","is_all_day":true}' | trendy log - --store \#(bench.store())"#
    )
    #expect(wrong.status == 65 && wrong.talk.contains("Invalid date in 'date'"), "\(wrong.talk)")
  }

  @Test func `today lists and counts events whose date where they were recorded is today`() throws {
    // The time zones differ by 26 hours, so their dates are never the same.
    let (ahead, behind) = ("Pacific/Kiritimati", "Etc/GMT+12")
    // In the western zone, the first event was yesterday or the day before. The event's date in the eastern zone, in
    // which it was recorded, equals today's date in the western zone.
    _ = try trendy(in: ahead, "log", "visa", "--at", "26 hours ago", "-n", "counted")
    _ = try trendy(in: ahead, "log", "visa", "-n", "tomorrow")
    let today = try trendy(in: behind, "today", "--json").document.objectValue
    let shown = today?["events"]?.arrayValue?.compactMap { $0.objectValue?["notes"]?.stringValue }
    #expect(shown == ["counted"])
    #expect(today?["today"]?.objectValue?["events"] == 1, "\(today?["today"] ?? .null)")
    _ = try trendy(in: behind, "log", "visa", "-n", "both")
    let again = try trendy(in: behind, "today", "--json").document.objectValue
    #expect(again?["events"]?.arrayValue?.count == 2)
    #expect(again?["today"]?.objectValue?["events"] == 2)
  }
}
