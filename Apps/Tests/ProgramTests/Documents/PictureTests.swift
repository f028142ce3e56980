import Foundation
import Testing
import TrendyModels

/// Tests the complete output of reports and charts for data in the past.
@Suite("Reports and charts", .waitsForPrograms, .timeLimit(.minutes(10)))
struct PictureTests {
  let bench: Workbench
  private static let last = CivilDate(year: 2024, month: 11, day: 20)

  /// Records 100 days of events up to Wednesday 20 November 2024.
  ///
  /// Coffee is recorded on two of every three days, and twice on Mondays. There is a run of 5 to 8 km every fifth day,
  /// and reading on the last ten days.
  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
    for type in ["run", "コーヒーと紅茶の時間", "reading"] { try bench.trendy("type", "add", type) }
    try bench.trendy("type", "prop", "add", "run", "km", "--kind", "number")
    try bench.trendy("type", "prop", "add", "run", "time", "--kind", "duration")
    var lines: [String] = []
    for ago in (0..<100).reversed() {
      let day = Self.last.advanced(by: -ago)
      if ago % 3 != 2 { lines.append("coffee --at '\(day) 08:10'") }
      if day.weekday == 1 { lines.append("coffee --at '\(day) 09:20'") }
      if ago % 5 == 0 { lines.append("run km=\(5 + ago % 4) --at '\(day) 18:00' --for \(30 + ago % 7)m") }
      if ago < 10 { lines.append("reading --at '\(day) 21:30'") }
      if ago % 9 == 1 { lines.append("コーヒーと紅茶の時間 --at '\(day) 15:00'") }
    }
    try bench.trendy("trip", "add", "12km", "--from", "2024-11-19 08:00", "--for", "20m")
    try bench.trendy("trip", "add", "8km", "--from", "2024-11-12 08:00", "--for", "20m")
    try bench.log(lines)
  }

  @Test func `a week at three widths`() throws {
    #expect(
      try bench.shown("week", width: 40) == """
        Mon 18 to Wed 20 Nov, compared with Mon
        11 to Wed 13 Nov
          run 30 min in 1 session.
          New: run and コーヒーと紅茶の時間.
          coffee                3   3   same
          reading               3   3   same
          Trip                  1   1   same
          run                   1   0    new
          コーヒーと紅茶の時間  1   0    new
          Drove 12.0 km in 1 trip (the week
          before 8.0 km).

        """)
    #expect(
      try bench.shown("week", width: 80) == """
        Mon 18 to Wed 20 Nov, compared with Mon 11 to Wed 13 Nov
          run 30 min in 1 session.
          New: run and コーヒーと紅茶の時間.
          coffee                3   3   same  ███
          reading               3   3   same  ███
          Trip                  1   1   same  ▁█▁
          run                   1   0    new  ▁▁█
          コーヒーと紅茶の時間  1   0    new  ▁█▁
          Drove 12.0 km in 1 trip (the week before 8.0 km).

        """)
    #expect(try bench.shown("week", width: 120) == bench.shown("week", width: 80))
    #expect(
      try bench.shown("week", width: 80, locale: "C") == """
        Mon 18 to Wed 20 Nov, compared with Mon 11 to Wed 13 Nov
          run 30 min in 1 session.
          New: run and コーヒーと紅茶の時間.
          coffee                3   3   same  @@@
          reading               3   3   same  @@@
          Trip                  1   1   same  .@.
          run                   1   0    new  ..@
          コーヒーと紅茶の時間  1   0    new  .@.
          Drove 12.0 km in 1 trip (the week before 8.0 km).

        """)
  }

  @Test func `a week has a JSON document and plain rows`() throws {
    let week = try bench.document("week")
    #expect(week["schema"] == "trendy.week/1")
    #expect(week["from"] == "2024-11-18" && week["before_through"] == "2024-11-13")
    let coffee = week["types"]?.arrayValue?.first { $0["event_type"]?["name"] == "coffee" }
    #expect(coffee?["now"] == 3 && coffee?["before"] == 3, "\(week)")
    #expect(week["driven"]?["distance_m"] == 12000 && week["driven_before"]?["trips"] == 1)
    let rows = try bench.shown("week --plain", width: 40)
    #expect(rows.contains("coffee\t3\t3\t0.0\t"), "\(rows)")
  }

  @Test func `a range that cuts off the comparison week is rejected`() throws {
    let cut = try bench.trendy("week", "--since", "2024-11-15", "--until", "2024-11-20")
    #expect(cut.status == 64 && cut.talk.contains("begins on Mon 11 Nov"), "\(cut.talk)")
    #expect(try bench.shown("week --type run", width: 80).contains("Driven") == false)
  }

  @Test func `a line chart at three widths`() throws {
    #expect(
      try bench.shown("chart run --of km", width: 40) == """
        run  km, mean per day  since Sat 17 Aug
          km of run: 5 % less on average than in
          the previous 14 days.
          8 ⠁      ⠈       ⠁      ⠈       ⠁

                       ⡇      ⣸      ⢠⡇      ⣾
                      ⢸⡇      ⣿      ⢸⡇      ⣿
              ⠁  ⡇   ⠈⢸⠉⢹    ⠁⡏⠉⡇   ⠈⢸⠉⢹    ⠁⡏⠉⡇
                 ⡇   ⡔⠚ ⢸   ⢠⠒⠃ ⡇   ⡔⠚ ⢸   ⢠⠒⠃ ⡇
                 ⢹ ⢠⠴⠁  ⠈⡇ ⡤⠎   ⢱ ⢠⠴⠁  ⠘⡄ ⡤⠎   ⢣
               ⢀ ⢸⣀⢸   ⡀ ⣇⡀⡇  ⢀ ⢸⣀⢸   ⡀ ⣇⡀⡇  ⢀ ⢸
                   ⡿      ⢱⠃     ⠈⡎      ⢻
                   ⡇      ⢸       ⡇      ⢸

          5      ⢀       ⡀      ⢀       ⡀      ⢀
            Aug  Sep        Oct         Nov
          Dots: days. Line: 14-day mean.

        """)
    #expect(
      try bench.shown("chart run --of km", width: 80) == """
        run  km, mean per day  since Sat 17 Aug
          km of run: 5 % less on average than in the previous 14 days.
          8 ⠁               ⠁               ⠁              ⠈               ⠈

                                   ⣇               ⡇              ⢠⡇              ⢸⡆
                                  ⢰⢹              ⢸⢸              ⢸⢱              ⢸⢣
                ⠁     ⢸         ⠁ ⢸ ⠉⠉⢱         ⠁ ⢸⠈⠉⠉⢣        ⠈  ⡜⠈⠉⠉⢇        ⠈  ⡇⠈⠉⠉⡇
                      ⠈⡆       ⢠⠒⠒⠚   ⠘⡄       ⡠⠒⠒⠃   ⠸⡀       ⡰⠒⠒⠃   ⢸        ⡰⠒⠒⠃   ⢸
                       ⢱    ⡤⠤⠴⠁       ⢣   ⢀⠤⠤⠜⠁       ⢇   ⢠⠤⠤⠜⠁       ⡇   ⢠⠤⠤⠎⠁      ⠈⡇
                    ⡀  ⠘⣄⣀⣀⢰⠁       ⡀  ⠸⣀⣀⡀⢸       ⢀   ⢸⣀⣀⡀⢸       ⢀   ⢸⣀⣀⡀⢸       ⢀   ⢱
                          ⢸⢸              ⢸⣸              ⢱⡜              ⢣⡇
                           ⡏              ⠈⡇              ⠘⡇              ⠸⡇

          5             ⡀               ⡀              ⢀               ⢀               ⢀
            Aug        Sep                     Oct                      Nov
          Dots: days. Line: 14-day mean.

        """)
    #expect(
      try bench.shown("chart run --of km", width: 120) == """
        run  km, mean per day  since Sat 17 Aug
          km of run: 5 % less on average than in the previous 14 days.
          8 ⠁                       ⠈                       ⠈                        ⠁                       ⠈

                                               ⣾                       ⢸⡄                      ⢠⢇                       ⣷
                                              ⢰⠁⢇                      ⡇⢱                      ⡸⠘⡄                     ⢰⠁⢇
                  ⠁         ⢇             ⠈   ⡸ ⠈⠉⠉⠉⢱             ⠈   ⢰⠁ ⠉⠉⠉⠹⡀             ⠁   ⡇ ⠉⠉⠉⠉⡇             ⠈   ⡸ ⠈⠉⠉⠉⢣
                            ⠸⡀           ⢀⠔⠒⠒⠒⠃     ⠈⡆            ⡰⠒⠒⠒⠚      ⢣            ⡠⠒⠒⠒⠒⠁     ⠸⡀           ⢀⠔⠒⠒⠒⠃     ⠈⡆
                             ⢱      ⡠⠤⠤⠤⠔⠁           ⠘⡄     ⢠⠤⠤⠤⠴⠉           ⠈⢇      ⡤⠤⠤⠤⠊⠁           ⢱      ⡠⠤⠤⠤⠜⠁           ⠸⡀
                        ⡀     ⣇⣀⣀⣀⡀ ⡇           ⢀     ⢣⣀⣀⣀⡀ ⡸            ⡀    ⠸⣀⣀⣀⣀ ⢰⠁           ⡀    ⠈⣆⣀⣀⣀⡀ ⡇           ⢀     ⢣
                                  ⢣⢰⠁                     ⠸⡀⡇                     ⠈⡆⡸                      ⢣⢸
                                  ⠈⡞                       ⢻                       ⢸⠇                      ⠘⡎

          5                   ⡀                       ⢀                        ⡀                       ⡀                       ⢀
            Aug               Sep                                 Oct                                   Nov
          Dots: days. Line: 14-day mean.

        """)
    #expect(
      try bench.shown("chart run --of km", width: 80, locale: "C") == """
        run  km, mean per day  since Sat 17 Aug
          km of run: 5 % less on average than in the previous 14 days.
          8 *               *               *              *               *

                                   *               *              **              **
                                  **              **              **              **
                *     *         * * ***         * *****        *  *****        *  *****
                      **       ****   **       ****   **       ****   *        ****   *
                       *    ****       *   *****       *   *****       *   *****      **
                    *  ******       *  *****       *   *****       *   *****       *   *
                          **              **              **              **
                           *              **              **              **

          5             *               *              *               *               *
            Aug        Sep                     Oct                      Nov
          Dots: days. Line: 14-day mean.

        """)
  }

  @Test func `a bar chart at three widths`() throws {
    #expect(
      try bench.shown("chart run --of time --sum --by month", width: 40) == """
        run  time, sum per month
          time of run: most in Oct 2024, 3 h 51
          min; usually 2 h 44 min.
          Aug 2024  ███████ 1 h 41 min
          Sep 2024  █████████████▉ 3 h 20 min
          Oct 2024  ████████████████ 3 h 51 min
          Nov 2024  ████████▉ 2 h 9 min

        """)
    #expect(
      try bench.shown("chart run --of time --sum --by month", width: 80) == """
        run  time, sum per month  since Sat 17 Aug
          time of run: most in Oct 2024, 3 h 51 min; usually 2 h 44 min.
          Aug 2024  █████████████████▌ 1 h 41 min
          Sep 2024  ██████████████████████████████████▋ 3 h 20 min
          Oct 2024  ████████████████████████████████████████ 3 h 51 min
          Nov 2024  ██████████████████████▍ 2 h 9 min

        """)
    #expect(
      try bench.shown("chart run --of time --sum --by month", width: 120)
        == bench.shown("chart run --of time --sum --by month", width: 80))
    #expect(
      try bench.shown("chart run --of time --sum --by month", width: 80, locale: "C") == """
        run  time, sum per month  since Sat 17 Aug
          time of run: most in Oct 2024, 3 h 51 min; usually 2 h 44 min.
          Aug 2024  ################## 1 h 41 min
          Sep 2024  ################################### 3 h 20 min
          Oct 2024  ######################################## 3 h 51 min
          Nov 2024  ###################### 2 h 9 min

        """)
  }

  @Test func `a chart has a JSON document and plain rows, and invalid options are rejected`() throws {
    let chart = try bench.document("chart run --of km --sum --by month")
    #expect(chart["schema"] == "trendy.chart/1" && chart["summary"] == "sum")
    // The distance of a run is 5 km plus the number of days ago modulo 4. The runs in August, 95, 90 and 85 days ago,
    // are 8, 7 and 6 km long.
    #expect(chart["points"]?.arrayValue?.first?["value"] == 21, "\(chart)")
    #expect(try bench.shown("chart coffee --plain --by week", width: 40).hasSuffix("2024-11-18\t2024-11-20\t3\t3\t\n"))
    #expect(try bench.trendy("chart", "reading", "--mean").status == 64)
    #expect(try bench.trendy("chart", "run", "--of", "mood").status == 66)
    #expect(try bench.trendy("chart", "coffee", "--of", "size").status == 64)
  }

  @Test func `a past month is compared with the whole month before, and one after --until is rejected`() throws {
    let month = try bench.document("month 2024-10")
    #expect(month["schema"] == "trendy.month/1")
    #expect(month["from"] == "2024-10-01" && month["through"] == "2024-10-31")
    #expect(month["before_from"] == "2024-09-01" && month["before_through"] == "2024-09-30")
    let part = try bench.document("month")
    #expect(part["through"] == "2024-11-20" && part["before_through"] == "2024-10-20")
    #expect(try bench.shown("month 2024-10", width: 80).hasPrefix("Oct 2024, compared with Sep 2024\n"))
    #expect(try bench.trendy("month", "2024-13").status == 64)
    #expect(try bench.trendy("month", "2024-12", "--until", "2024-11-20").talk.contains("--until is before Sun 1 Dec"))
    for width in [40, 80, 120] {
      let lines = try bench.shown("month --type coffee --type run", width: width).split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= width })
    }
  }
}
