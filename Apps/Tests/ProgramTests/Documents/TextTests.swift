import Foundation
import Testing
import TrendyModels

@Suite("Text output", .waitsForPrograms, .timeLimit(.minutes(10)))
struct TextTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
  }

  @Test func `values are formatted for users, and unformatted for scripts`() throws {
    try bench.trendy("type", "prop", "add", "journal", "due", "--kind", "date")
    try bench.trendy("type", "prop", "add", "journal", "done", "--kind", "boolean")
    let day = "2026-11-20"
    try bench.trendy("log", "journal", "--at", "\(day) 8:00", "due=\(day)", "done=no")
    try bench.trendy("log", "journal", "--at", "\(day) 9:00", "due=\(day) 15:30", "done=yes")
    let text = try bench.trendy("list").output
    #expect(text.contains("08:00  journal  done no  due Fri 20 Nov  "), "\(text)")
    #expect(text.contains("09:00  journal  done yes  due 15:30  "), "\(text)")
    let cells = try bench.trendy("list", "--plain", "--limit", "1").output.split(
      separator: "\t", omittingEmptySubsequences: false)
    #expect(cells[3] == "journal" && cells[6] == "done=true")
    #expect(cells[7] == "due=2026-11-20T15:30:00.000Z\n")
  }

  @Test func `a duration is shown once, and --for also updates the duration property`() throws {
    let logged = try bench.trendy("log", "workout", "--at", "2026-11-20 7:00", "--for", "45m")
    #expect(logged.output.contains("07:00  45 min  01"), "\(logged.output)")
    func length() throws -> JSONValue? {
      try bench.trendy("show", "@1", "--json").document.objectValue?["event"]?.objectValue?["properties"]?
        .objectValue?["duration"]?.objectValue?["value"]
    }
    #expect(try length() == 2700)
    try bench.trendy("edit", "@1", "--for", "50m")
    #expect(try length() == 3000)
    let other = try bench.trendy("edit", "@1", "duration=40m").output
    #expect(other.contains("50 min  duration 40 min"), "\(other)")
  }

  @Test func `a trip shows its places, distance and duration`() throws {
    try bench.trendy("import", Samples.drive.path)
    let trip = try #require(
      bench.trendy("trip", "list", "--json").document.objectValue?["trips"]?.arrayValue?.first?.objectValue)
    let latitude = try #require(trip["start_latitude"]?.doubleValue)
    let longitude = try #require(trip["start_longitude"]?.doubleValue)
    #expect(try bench.trendy("list").output.contains("Trip  7.4 km  33 min  "))
    try bench.trendy("place", "add", "Home", "\(latitude),\(longitude)")
    #expect(try bench.trendy("list").output.contains("Trip  from Home  7.4 km  33 min  "))
    let shown = try bench.trendy("show", "@1").output
    #expect(shown.contains("top_speed      64 km/h") && !shown.contains("7402"), "\(shown)")
  }

  @Test func `trips are filtered by month, vehicle and category and show the places at both ends`() throws {
    try bench.trendy("place", "add", "Home", "52.0,4.0")
    try bench.trendy("place", "add", "Office", "52.1,4.0", "--role", "office")
    try bench.trendy("vehicle", "add", "Van")
    func add(_ day: String, _ words: [String]) throws {
      let words = ["trip", "add", "12km", "--from", "\(day) 8:00", "--for", "20m"] + words
      let added = try bench.run("trendy", words + ["--store", bench.store()])
      #expect(added.status == 0, "\(added.talk)")
    }
    try add("2026-11-19", ["--start", "home", "--end", "office"])
    try add("2026-10-01", ["--start", "home", "--category", "private"])
    func list(_ words: String...) throws -> [Substring] {
      try bench.run("trendy", ["trip", "list"] + words + ["--store", bench.store()]).output.split(separator: "\n")
    }
    #expect(try list().count == 2)
    #expect(try list()[0].contains("08:00–08:20  Home → Office  12.0 km  20 min  Van  business"))
    #expect(try list("--month", "2026-10").map { $0.contains("from Home") } == [true])
    #expect(try list("--category", "private").count == 1)
    #expect(try list("--category", "unclassified")[0].contains("No trips"))
    #expect(try list("--vehicle", "van").count == 2)
    #expect(try bench.trendy("trip", "list", "--month", "2026-10", "--since", "mon").status == 64)
    #expect(try bench.trendy("trip", "add", "1km", "--for", "5m", "--end", "home").status == 64)
    let shown = try bench.trendy("trip", "show", "@2").output
    #expect(shown.contains("from      Home\n") && shown.contains("to        Office\n"), "\(shown)")
  }

  @Test func `a trip draws its route to scale with its ends and a scale bar, in braille or ASCII`() throws {
    try bench.trendy("place", "add", "Home", "52.0,4.0")
    try bench.trendy("place", "add", "Office", "52.05,4.2")
    try bench.trendy("trip", "add", "14km", "--start", "home", "--end", "office", "--from", "-2h", "--for", "20m")
    let picture = try bench.trendy("trip", "show", "@1").output.split(separator: "\n").suffix(13).map(String.init)
    #expect(picture.last?.hasPrefix("  H Home   O Office   ├──") == true, "\(picture)")
    #expect(picture.last?.hasSuffix("┤") == true && picture.last?.contains(" km ") == true)
    // The route extends 13.7 km east and 5.6 km north, and cells are twice as high as wide.
    let way = picture.dropLast().filter { $0.unicodeScalars.contains { 0x2800...0x28FF ~= $0.value } }
    #expect(way.first?.hasSuffix("O") == true && way.last?.hasPrefix("  H") == true, "\(picture)")
    #expect(way.allSatisfy { $0.count <= 76 } && 10...12 ~= way.count, "\(picture)")
    let ascii = try bench.trendy("trip", "show", "@1", environment: ["LANG": "C"]).output
    #expect(
      ascii.contains("  H*") && ascii.contains(" |--") && ascii.allSatisfy { $0.isASCII || $0 == "→" }, "\(ascii)")
    let narrow = try bench.trendy("trip", "show", "@1", environment: ["COLUMNS": "40"]).output
    #expect(narrow.split(separator: "\n").filter { $0.contains("O") }.allSatisfy { $0.count <= 40 }, "\(narrow)")
  }

  @Test func `a new event shows the count of the day, and the streak if the type has a daily goal`() throws {
    for days in 1...3 { try bench.trendy("log", "coffee", "--at", "-\(days) days") }
    #expect(try bench.trendy("log", "coffee").output.contains("\n  Undo with: trendy undo"))
    #expect(try bench.trendy("log", "coffee").output.contains("\n  2 today · Undo with: trendy undo"))
    try bench.trendy("type", "edit", "coffee", "--goal", "4/day")
    #expect(
      try bench.trendy("log", "coffee").output.contains(
        "\n  3 of 4 today, 1 left · 4-day streak · Undo with: trendy undo"))
    #expect(try bench.trendy("log", "coffee", "-q").output == "")
  }

  @Test func `@1 is the entry that was recorded last, whatever its date`() throws {
    try bench.trendy("log", "mood", "3")
    let id = try #require(
      bench.trendy("log", "coffee", "--at", "2020-01-01", "--json").document.objectValue?["event"]?.objectValue?["id"])
    #expect(try bench.trendy("show", "@1", "--json").document.objectValue?["event"]?.objectValue?["id"] == id)
    #expect(try bench.trendy("rm", "@1").output.contains("coffee"))
    #expect(try bench.trendy("show", "@1").output.contains("mood"))
    #expect(try bench.trendy("show", "@2").status == 66)
    #expect(try bench.trendy("show", "@0").status == 64)
  }

  @Test func `output on a terminal is coloured and fits the width, unless disabled`() throws {
    try bench.trendy("log", "coffee", "2", "-n", String(repeating: "very ", count: 30) + "long")
    func list(_ environment: String, _ words: String = "") throws -> String {
      try bench.shell(
        "export \(environment); script -qec \"stty cols 60; trendy list --store '\(bench.store())' \(words)\" /dev/null"
      ).output
    }
    let shown = try list("TERM=xterm")
    #expect(shown.contains("\u{1B}[1;38;5;94mcoffee\u{1B}[0m"), "\(shown)")
    for line in shown.replacing(/\x1B\[[0-9;]*m/, with: "").split(whereSeparator: \.isNewline) {
      #expect(line.count <= 60, "\(line)")
    }
    for plain in [try list("NO_COLOR=1 TERM=xterm"), try list("TERM=dumb"), try list("TERM=xterm", "--no-color")] {
      #expect(!plain.contains("\u{1B}") && plain.contains("…"), "\(plain)")
    }
    // Output to a pipe is not shortened.
    #expect(try bench.trendy("list").output.contains("long\""))
  }
}
