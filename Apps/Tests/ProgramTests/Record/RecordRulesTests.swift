import Foundation
import Testing
import TrendyModels

/// Tests that results do not depend on the reader's time zone.
@Suite("RecordRules: commands", .waitsForPrograms, .timeLimit(.minutes(10)))
struct RecordRulesTests {
  private let bench: Workbench
  private let amsterdam: LocalTime
  private let today: CivilDate

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
    amsterdam = try #require(LocalTime(zoneName: "Europe/Amsterdam"))
    today = amsterdam.day(of: Date())
  }

  private func trendy(in zone: String = "Europe/Amsterdam", _ words: String...) throws -> Workbench.Result {
    try bench.run("trendy", words + ["--store", bench.store()], environment: ["TZ": zone])
  }

  private func day(_ ago: Int) -> String { today.advanced(by: -ago).description }

  @Test func `skipped days and streaks are the same in every zone and for every start of the day`() throws {
    _ = try trendy("type", "add", "run", "--goal", "1/day")
    for ago in [2, 3, 5, 6] { _ = try trendy("log", "run", "--at", "\(day(ago)) 12:00") }
    _ = try trendy("skip", "run", "--from", day(4))
    _ = try trendy("skip", "run", "--from", day(1), "--to", day(-1))
    let skips = try trendy("skip", "--plain").output
    #expect(skips.contains("\t\(day(4))\t\(day(4))\t") && skips.contains("\t\(day(1))\t\(day(-1))\t"), "\(skips)")
    for start in ["00:00", "04:00", "11:00"] {
      _ = try trendy("config", "set", "day_starts_at", start)
      for zone in ["Europe/Amsterdam", "America/New_York", "Asia/Kolkata", "Pacific/Auckland", "CET-1CEST"] {
        let streaks = try trendy(in: zone, "streaks", "--type", "run", "--plain").output
        #expect(streaks == "run\t4\t4\t\(day(2))\tday\n", "\(zone) \(start): \(streaks)")
        #expect(try trendy(in: zone, "skip", "--plain").output == skips, "\(zone) \(start)")
      }
    }
  }

  @Test func `a weekly goal that was met in four weeks has a streak of four weeks`() throws {
    _ = try trendy("type", "add", "run", "--goal", "2/week")
    let monday = (today.weekday + 6) % 7
    for week in 1...4 {
      for weekday in [1, 4] {
        _ = try trendy("log", "run", "--at", "\(day(monday + 7 * week - weekday)) 12:00")
      }
    }
    let streaks = try trendy("streaks")
    #expect(streaks.output.contains("4 weeks") && streaks.output.contains("longest ever"), "\(streaks.output)")
    let row = try trendy("streaks", "--json").document.objectValue?["streaks"]?.arrayValue?.first?.objectValue
    #expect(row?["current"] == 4 && row?["period"] == "week")
    #expect(try trendy("stats", "run").output.contains("Streak 4 weeks, longest 4"))
  }

  @Test func `an entry is listed and exported on the day that its own clock showed`() throws {
    let date = day(10)
    _ = try trendy(in: "Asia/Tokyo", "log", "mood", "--at", "\(date) 08:00")
    for zone in ["Asia/Tokyo", "America/New_York"] {
      let listed = try trendy(in: zone, "list", "--since", date, "--until", date).output
      #expect(listed.contains("08:00") && listed.contains("Asia/Tokyo") == (zone != "Asia/Tokyo"), "\(zone): \(listed)")
      #expect(try trendy(in: zone, "list", "--since", day(11), "--until", day(11)).output.contains("No events"))
      let exported = try trendy(in: zone, "export", "csv", "--since", date, "--until", date).output
      #expect(exported.split(whereSeparator: \.isNewline).count == 2, "\(zone): \(exported)")
      let days = try trendy(in: zone, "cal", "mood", "--json").document.objectValue?["days"]?.arrayValue
      #expect(days?.first { $0.objectValue?["day"]?.stringValue == date }?.objectValue?["count"] == 1, "\(zone)")
    }
  }

  @Test func `an entry over midnight is listed on each day that it touches`() throws {
    _ = try trendy("type", "add", "sleep", "--goal", "8h/day")
    _ = try trendy("log", "sleep", "--from", "\(day(3)) 23:00", "--to", "\(day(2)) 07:00")
    func weekday(_ ago: Int) -> String { LocalTime.weekdays[today.advanced(by: -ago).weekday] }
    let second = try trendy("list", "--since", day(2), "--until", day(2)).output
    #expect(second.contains("07:00  sleep  since \(weekday(3)) 23:00") && second.contains("1 entry"), "\(second)")
    let first = try trendy("list", "--since", day(3), "--until", day(3)).output
    #expect(first.contains("23:00  sleep  until \(weekday(2)) 07:00") && !first.contains("since"), "\(first)")
    let both = try trendy("list", "--since", day(4)).output
    #expect(both.components(separatedBy: "sleep").count == 3 && both.contains("1 entry"), "\(both)")
    #expect(try trendy("list").output.components(separatedBy: "sleep").count == 2, "without a range by its start")
    #expect(try trendy("list", "--since", day(2), "--plain").output == "")
    _ = try trendy("log", "sleep", "--from", "\(day(1)) 23:00", "--to", "\(day(0)) 00:01")
    let shown = try trendy("today")
    #expect(shown.output.contains("00:01  sleep  since \(weekday(1)) 23:00"), "\(shown.output)")
    #expect(shown.output.contains("1 min"), "the goal of today counts the minute after midnight: \(shown.output)")
  }
}
