import Foundation
import Testing
import TrendyModels

/// Tests the complete output of yearly reviews and digests for data in the past.
@Suite("Reviews", .waitsForPrograms, .timeLimit(.minutes(10)))
struct ReviewTests {
  let bench: Workbench
  private static let last = CivilDate(year: 2024, month: 11, day: 20)

  /// Records events from September 2023 to Wednesday 20 November 2024: coffee on two of every three days and twice a
  /// day in November 2024, a run on every fifth day of 2024, and three trips.
  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
    for type in ["run", "コーヒーと紅茶の時間"] { try bench.trendy("type", "add", type) }
    try bench.trendy("type", "edit", "run", "--goal", "3/week")
    var lines: [String] = []
    for ago in (0..<446).reversed() {
      let day = Self.last.advanced(by: -ago)
      if ago % 3 != 2 { lines.append("coffee --at '\(day) 08:10'") }
      if day.year == 2024, day.month == 11, ago % 3 != 2 { lines.append("coffee --at '\(day) 14:00'") }
      if day.year == 2024, ago % 5 == 0 { lines.append("run --at '\(day) 18:00' --for 30m") }
      if ago % 90 == 1 { lines.append("コーヒーと紅茶の時間 --at '\(day) 15:00'") }
    }
    for (day, length) in [("2024-11-19", "12km"), ("2024-03-05", "20km"), ("2023-10-12", "8km")] {
      try bench.trendy("trip", "add", length, "--from", "\(day) 08:00", "--for", "20m")
    }
    try bench.log(lines)
  }

  @Test func `a year at three widths`() throws {
    #expect(
      try bench.shown("year", width: 40) == """
        Mon 1 Jan to Wed 20 Nov, compared with
        Sun 1 Jan to Mon 20 Nov 2023
          run 32 h 30 min in 65 sessions.
          More coffee and Trip; new: run and
          コーヒーと紅茶の時間.
          302 entries on 239 of 325 days, 449 %
          more than in the previous year (55).
          Most in Nov (34) and on Tue 19 Nov
          (4).
          coffee              231   54   +328 %
          run                  65    0      new
          コーヒーと紅茶の…     4    0      new
          Trip                  2    1   +100 %

          Best month, best day and longest
          streak by type:
          coffee     Nov 28    1 Nov 2   2 days
          run         Oct 7    5 Jan 1    1 day
          コーヒー…   Feb 1   23 Feb 1    1 day
          Trip        Mar 1    5 Mar 1    1 day
          Drove 32.0 km in 2 trips (the year
          before 8.0 km).

        """)
    #expect(
      try bench.shown("year", width: 80) == """
        Mon 1 Jan to Wed 20 Nov, compared with Sun 1 Jan to Mon 20 Nov 2023
          run 32 h 30 min in 65 sessions.
          More coffee and Trip; new: run and コーヒーと紅茶の時間.
          302 entries on 239 of 325 days, 449 % more than in the previous year (55).
          Most in Nov (34) and on Tue 19 Nov (4).
          coffee                231   54   +328 %  ▆▆▆▆▆▆▆▆▆▆█
          run                    65    0      new  ▇▇▇▇▇▇▇▇▇█▅
          コーヒーと紅茶の時間    4    0      new  ▁█▁▁█▁▁█▁▁█
          Trip                    2    1   +100 %  ▁▁█▁▁▁▁▁▁▁█

          Best month, best day and longest streak by type:
          coffee                Nov 28    1 Nov 2   2 days
          run                    Oct 7    5 Jan 1    1 day
          コーヒーと紅茶の時間   Feb 1   23 Feb 1    1 day
          Trip                   Mar 1    5 Mar 1    1 day
          Drove 32.0 km in 2 trips (the year before 8.0 km).

        """)
    #expect(try bench.shown("year", width: 120) == bench.shown("year", width: 80))
    #expect(
      try bench.shown("year", width: 80, locale: "C") == """
        Mon 1 Jan to Wed 20 Nov, compared with Sun 1 Jan to Mon 20 Nov 2023
          run 32 h 30 min in 65 sessions.
          More coffee and Trip; new: run and コーヒーと紅茶の時間.
          302 entries on 239 of 325 days, 449 % more than in the previous year (55).
          Most in Nov (34) and on Tue 19 Nov (4).
          coffee                231   54   +328 %  **********@
          run                    65    0      new  #########@+
          コーヒーと紅茶の時間    4    0      new  .@..@..@..@
          Trip                    2    1   +100 %  ..@.......@

          Best month, best day and longest streak by type:
          coffee                Nov 28    1 Nov 2   2 days
          run                    Oct 7    5 Jan 1    1 day
          コーヒーと紅茶の時間   Feb 1   23 Feb 1    1 day
          Trip                   Mar 1    5 Mar 1    1 day
          Drove 32.0 km in 2 trips (the year before 8.0 km).

        """)
  }

  @Test func `a year has a JSON document and plain rows`() throws {
    let year = try bench.document("year")
    #expect(year["schema"] == "trendy.year/1")
    #expect(year["from"] == "2024-01-01" && year["before_through"] == "2023-11-20")
    #expect(year["total"]?["best_month"]?["month"] == "2024-11")
    let run = year["bests"]?.arrayValue?.first { $0["event_type"]?["name"] == "run" }
    #expect(run?["longest_streak"]?["days"] == 1)
    let coffee = year["types"]?.arrayValue?.first { $0["event_type"]?["name"] == "coffee" }
    #expect(coffee?["values"]?.arrayValue?.count == 11, "\(year)")
    #expect(year["driven"]?["distance_m"] == 32000 && year["driven_before"]?["trips"] == 1)
    let rows = try bench.shown("year --plain", width: 40).split(separator: "\n")
    #expect(
      rows.count == 4 && rows.allSatisfy { $0.split(separator: "\t", omittingEmptySubsequences: false).count == 11 })
    let whole = try bench.document("year 2023")
    #expect(whole["from"] == "2023-01-01" && whole["through"] == "2023-12-31")
    #expect(try bench.shown("year 2023", width: 80).hasPrefix("2023, compared with 2022\n"))
    for word in ["23", "next", "0000", "2024-11"] { #expect(try bench.trendy("year", word).status == 64) }
    #expect(try bench.trendy("year", "2025", "--until", "2024-11-20").talk.contains("--until is before Wed 1 Jan"))
  }

  @Test func `a digest of a day and of a week`() throws {
    #expect(
      try bench.shown("digest", width: 80) == """
        Wed 20 Nov, night
          run 30 min in 1 session.
          3 entries that day; a day usually has 0 to 2.
          coffee 2 and run 1.
          run: 1 of 3 this week, 2 left.

        """)
    #expect(
      try bench.shown("digest week", width: 40) == """
        Mon 18 to Wed 20 Nov
          run 30 min in 1 session.
          7 entries on 2 of 3 days, 75 % more
          than in the previous week (4).
          New: Trip, run and
          コーヒーと紅茶の時間.
          Most on Tuesday (4).
          run: 1 of 3 this week, 2 left.
          Drove 12.0 km in 1 trip (the week
          before nothing).

        """)
  }

  @Test func `a digest has a JSON document and plain rows, and reports insufficient data`() throws {
    let day = try bench.document("digest")
    #expect(day["schema"] == "trendy.digest/1" && day["day_part"] == "night" && day["needs_days"] == 0)
    let topics = day["sentences"]?.arrayValue?.compactMap { $0["topic"]?.stringValue }
    let rows = try bench.shown("digest --plain", width: 40).split(separator: "\n")
    #expect(rows.map { String($0.prefix { $0 != "\t" }) } == topics)
    let few = try bench.trendy("digest", "--since", "2024-11-19", "--until", "2024-11-20").output
    #expect(few.contains("5 more days with entries and 3 more entries needed for a digest"), "\(few)")
    #expect(try bench.trendy("digest", "month").status == 64)
  }
}
