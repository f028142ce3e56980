import Foundation
import Testing
import TrendyModels

@Suite("trendy", .waitsForPrograms, .timeLimit(.minutes(10)))
struct CommandLineTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  @Test func `two commands lead from an empty machine to the first recorded event`() throws {
    let made = try bench.trendy("init")
    #expect(made.status == 0)
    #expect(
      made.output == """
        Store ready. No account needed; all data stays on this machine.
        Types: mood, workout, medication, coffee, journal
        Next:  trendy log coffee

        """)
    let logged = try bench.trendy("log", "coffee", "2", "size=large", "--at", "2026-11-20 8:30", "-n", "oat")
    #expect(logged.status == 0)
    #expect(
      logged.output.hasPrefix(#"coffee  Fri 20 Nov 2026 08:30  count 2  large  "oat"  "#)
        || logged.output.hasPrefix(#"coffee  Fri 20 Nov 08:30  count 2  large  "oat"  "#))
    #expect(logged.output.hasSuffix("  Undo with: trendy undo\n"))
  }

  @Test func `a command without a store prints how to create one`() throws {
    let result = try bench.trendy()
    #expect(result.status == 0)
    #expect(result.output.contains("trendy init"))
    #expect(try bench.trendy("list").status == 66)
  }

  @Test func `an event as JSON has the documented members`() throws {
    try bench.trendy("init")
    let event = try #require(
      bench.trendy("log", "coffee", "--at", "2026-11-20T08:30:00+01:00", "--json").document.objectValue)
    #expect(event["schema"] == "trendy.event/1")
    let body = try #require(event["event"]?.objectValue)
    #expect(body["timestamp"] == "2026-11-20T07:30:00Z")
    #expect(body["event_type"]?.objectValue?["name"] == "coffee")
    #expect(body["is_all_day"] == false)
    #expect(body["notes"] == .null)
    #expect(body["source_type"] == "manual")
    #expect(body["sync_status"] == "pending")
    #expect(body["properties"] == .object([:]))
    #expect(UUIDv7(body["id"]?.stringValue ?? "") != nil)
  }

  @Test func `a recorded event can be listed, shown, edited and removed`() throws {
    try bench.trendy("init")
    try bench.trendy("log", "coffee", "1", "--at", "2026-11-19 9:00")
    try bench.trendy("log", "mood", "4", "--at", "2026-11-20 9:00", "-n", "good morning")
    #expect(try bench.trendy("list", "--plain").output.split(separator: "\n").count == 2)
    #expect(try bench.trendy("list", "--type", "cof", "--plain").output.split(separator: "\n").count == 1)
    #expect(try bench.trendy("list", "--grep", "MORNING", "--plain").output.split(separator: "\n").count == 1)
    #expect(try bench.trendy("list", "--since", "2026-11-20", "--plain").output.split(separator: "\n").count == 1)
    #expect(try bench.trendy("list", "--grep", "tea", "--fail-empty").status == 1)
    let edited = try bench.trendy("edit", "@1", "score=5", "--clear", "note", "--json").document
    #expect(edited.objectValue?["event"]?.objectValue?["notes"] == .null)
    #expect(try bench.trendy("show", "@1").output.contains("score 5"))
    #expect(try bench.trendy("rm", "@1").status == 0)
    #expect(try bench.trendy("list", "--plain").output.split(separator: "\n").count == 1)
    #expect(try bench.trendy("show", "@2").status == 66)
  }

  @Test func `types, properties and places can be created and listed`() throws {
    try bench.trendy("init")
    #expect(try bench.trendy("type", "add", "tea", "--color", "#aabbcc", "--icon", "T").status == 0)
    #expect(try bench.trendy("type", "add", "TEA").status == 64)
    #expect(
      try bench.trendy("type", "prop", "add", "tea", "kind", "--kind", "select", "--options", "green,black").status == 0
    )
    #expect(try bench.trendy("log", "tea", "kind=green").status == 0)
    let wrong = try bench.trendy("log", "tea", "kind=red")
    #expect(wrong.status == 64)
    #expect(wrong.talk.contains("The value 'red' is invalid for 'kind'") && wrong.talk.contains("green, black"))
    #expect(try bench.trendy("place", "add", "home", "51.9270,4.3620", "--radius", "150").status == 0)
    #expect(try bench.trendy("place", "add", "west", "37.7,-122.4").status == 0)
    #expect(try bench.trendy("place", "add", "nowhere", "91,0").status == 64)
    #expect(try bench.trendy("place", "add", "tiny", "0,0", "--radius", "49").status == 64)
    let places = try bench.trendy("place", "list", "--json").document.objectValue?["places"]?.arrayValue
    #expect(places?.compactMap { $0.objectValue?["name"]?.stringValue }.sorted() == ["home", "west"])
  }

  @Test func `every command has JSON output and help`() throws {
    try bench.trendy("init")
    try bench.trendy("log", "coffee")
    for words in [
      ["today"], ["list"], ["show", "@1"], ["type", "list"], ["place", "list"], ["trip", "list"], ["status"],
      ["sync", "status"],
    ] {
      let result = try bench.run("trendy", words + ["--json", "--store", bench.store()])
      #expect(result.status == 0, "\(words): \(result.talk)")
      #expect(try result.document.objectValue?["schema"]?.stringValue?.hasPrefix("trendy.") == true)
      let help = try bench.run("trendy", words.prefix(words.contains("@1") ? 1 : 2) + ["--help"])
      #expect(help.status == 0 && help.output.contains("Usage: trendy \(words[0])"))
    }
  }

  @Test func `a hundred concurrent writers neither lose nor duplicate an event`() throws {
    try bench.trendy("init")
    let result = try bench.shell(
      "for i in $(seq 100); do trendy log coffee $i --store '\(bench.store())' -q & done; wait")
    #expect(result.talk == "")
    let counts = try bench.trendy("list", "--limit", "0", "--json").document.objectValue?["events"]?.arrayValue?
      .compactMap { $0.objectValue?["properties"]?.objectValue?["count"]?.objectValue?["value"]?.intValue }
    #expect(counts?.sorted() == Array(1...100))
  }

  @Test func `quiet mode omits confirmations but prints requested data`() throws {
    #expect(try bench.trendy("init", "-q").output == "")
    #expect(try bench.trendy("log", "coffee", "-q").output == "")
    #expect(try bench.trendy("list", "-q").output == bench.trendy("list").output)
    #expect(try bench.trendy("list", "-q").output.contains("coffee"))
    #expect(try bench.trendy("status", "-q").output.contains("1 event,"))
    #expect(try bench.trendy("show", "@1", "-q").output.contains("coffee"))
  }

  @Test func `a note is printed on one line without terminal control characters`() throws {
    try bench.trendy("init")
    try bench.trendy("log", "coffee", "-n", "a\r\nb\u{1B}[31mred\u{7}")
    for words in [["list"], ["show", "@1"], ["today"]] {
      let result = try bench.run("trendy", words + ["--store", bench.store()])
      #expect(result.output.contains("\"a b\u{FFFD}[31mred\u{FFFD}\""), "\(words): \(result.output)")
      #expect(!result.output.unicodeScalars.contains("\u{1B}"))
    }
    let notes = try bench.trendy("list", "--json").document.objectValue?["events"]?.arrayValue?.first?
      .objectValue?["notes"]
    #expect(notes == "a\r\nb\u{1B}[31mred\u{7}")
  }
}
