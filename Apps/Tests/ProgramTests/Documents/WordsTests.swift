import Foundation
import Testing
import TrendyModels

@Suite("Event arguments", .waitsForPrograms, .timeLimit(.minutes(10)))
struct WordsTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
    try bench.trendy("type", "add", "feed")
    try bench.trendy("type", "prop", "add", "feed", "amount", "--kind", "number")
    try bench.trendy("type", "prop", "add", "feed", "side", "--kind", "select", "--options", "left,right")
  }

  private func trendy(_ words: [String]) throws -> Workbench.Result {
    try bench.run("trendy", ["--store", bench.store()] + words)
  }

  private func amount(_ words: String...) throws -> Double? {
    let event = try trendy(["log", "feed", "--json"] + words).document.objectValue?["event"]
    return event?.objectValue?["properties"]?.objectValue?["amount"]?.objectValue?["value"]?.doubleValue
  }

  @Test func `a decimal may have a comma`() throws {
    #expect(try amount("120,5") == 120.5)
    #expect(try amount("amount=-0,25") == -0.25)
    let trip = try trendy(["trip", "add", "7,5km", "--at", "2026-11-20 8:00", "--for", "20m", "--json"])
    #expect(try trip.document.objectValue?["trip"]?.objectValue?["distance_m"] == 7500, "\(trip.output)")
  }

  @Test(
    "a rejected argument gets a hint with the correct form",
    arguments: [
      (["log", "feed", "1,205"], "Did you mean 1205 or 1.205?"),
      (["trip", "add", "1,205km", "--at", "8:00", "--for", "20m"], "Did you mean 1205 or 1.205?"),
      (["log", "feed", "amount=5", "amount=6"], "Property 'amount' was specified twice: '5' and '6'"),
      (["log", "feed", "5", "amount=6"], "Property 'amount' was specified twice: '5' and '6'"),
      (["edit", "@1", "side=left", "side=right"], "Property 'side' was specified twice: 'left' and 'right'"),
      (["log", "feed", "side=left", "110"], "Did you mean amount=110?"),
      (["log", "feed", "9:00-10:30"], "--at 9:00-10:30"),
      (["log", "feed", "9am", "-", "10:30am"], "--at '9am - 10:30am'"),
      (["start", "20", "min", "ago", "feed"], "Put the event type first, and set the time with --at TIME."),
      (["log", "feed", "--at", "120,5"], "Invalid time '120,5'"),
      (["log", "feed", "5ml"], "Did you mean 5? Write the number without a unit."),
      (["log", "feed", "amount=2,5 ml"], "Did you mean 2,5?"),
      (["log", "med", "aspirin"], "Did you mean name=aspirin?"),
      (["list", "--type", "feed,med"], "--type can be repeated"),
      (["week", "2026-11-20"], "Did you mean --since 2026-11-20?"),
    ])
  func refusals(words: [String], hint: String) throws {
    try bench.trendy("type", "add", "med")
    try bench.trendy("type", "prop", "add", "med", "dose", "--kind", "number")
    try bench.trendy("type", "prop", "add", "med", "name", "--kind", "text")
    try bench.trendy("log", "feed", "100")
    let refused = try trendy(words)
    #expect(refused.status == 64 || refused.status == 66)
    #expect(refused.talk.contains(hint), "\(words): \(refused.talk)")
    #expect(try trendy(["list", "--plain"]).output.split(separator: "\n").count == 1)
  }

  @Test func `a number for a type without a number property gets a hint, and @1 is not found in an empty store`() throws
  {
    try bench.trendy("type", "add", "run")
    #expect(try trendy(["log", "run", "5"]).talk.contains("trendy type prop add run KEY --kind number"))
    #expect(try trendy(["log", "run", "slow"]).talk.contains("trendy log run -n 'slow'"))
    let none = try trendy(["rm", "@1", "--yes"])
    #expect(none.status == 66 && none.talk.contains("Entry '@1' not found"), "\(none.talk)")
  }

  @Test func `a duration beyond the maximum is not suggested as a time`() throws {
    let refused = try trendy(["log", "feed", "99999999h"])
    #expect(refused.status == 64 && !refused.talk.contains("--at"), "\(refused.talk)")
  }

  @Test func `an empty note is not stored, and clears an existing one`() throws {
    try bench.trendy("log", "feed", "-n", "")
    #expect(try bench.shell("trendy log feed -n - --store '\(bench.store())' < /dev/null").status == 0)
    try bench.trendy("log", "feed", "-n", "one")
    #expect(try notes == ["one"])
    try bench.trendy("edit", "@1", "-n", "")
    #expect(try notes == [])
  }

  private var notes: [String] {
    get throws {
      let list = try bench.trendy("list", "--json").document.objectValue?["events"]?.arrayValue ?? []
      return list.compactMap { $0.objectValue?["notes"]?.stringValue }
    }
  }

  @Test func `an edit without a change succeeds`() throws {
    try bench.trendy("log", "feed", "5", "side=left", "--at", "2026-11-20 8:00")
    try bench.trendy("place", "add", "Home", "52.1,4.3")
    try bench.trendy("vehicle", "add", "Van")
    for words in [
      ["edit", "@1", "--clear", "note"], ["edit", "@1", "side=left"], ["edit", "--of", "feed", "side=left", "--yes"],
      ["place", "edit", "Home", "--radius", "100"], ["vehicle", "edit", "Van", "--default"],
      ["type", "prop", "edit", "feed", "side", "--options", "left,right"],
    ] {
      let done = try trendy(words)
      #expect(
        done.status == 0 && done.talk == "Nothing to change: the values are the same.\n", "\(words): \(done.talk)")
    }
    for words in [["edit", "@1"], ["edit", "--of", "feed", "--yes"], ["place", "edit", "Home"]] {
      #expect(try trendy(words).status == 64, "\(words)")
    }
    #expect(try bench.trendy("undo", "--list", "--plain").output.contains("edit") == false)
  }

  @Test func `a short option may be joined with its value`() throws {
    try bench.trendy("log", "feed", "-none")
    #expect(try notes == ["one"])
    #expect(try trendy(["log", "feed", "-xone"]).talk.contains("Unknown option '-xone'"))
  }

  @Test func `suggested commands are quoted for the shell`() throws {
    #expect(try bench.trendy("type", "add", "cold brew").output.contains("trendy log 'cold brew'\n"))
    #expect(try bench.trendy("log", "hot brew").talk.contains("trendy log 'hot brew' --create"))
    #expect(try bench.trendy("stats", "cold brew").output.contains("trendy log 'cold brew'"))
    #expect(try bench.trendy("log", "cold brew", "later").talk.contains("trendy log 'cold brew' -n 'later'"))
    #expect(try bench.trendy("type", "add", "cold brew").talk.contains("trendy log 'cold brew'\n"))
  }

  @Test func `a list can be limited to a type by name`() throws {
    try bench.trendy("log", "feed", "1")
    try bench.trendy("log", "coffee", "2")
    let list = try bench.trendy("list", "FEED", "--limit", "1", "--plain").output
    #expect(list.split(separator: "\n").count == 1 && list.contains("\tfeed\t"))
    #expect(try trendy(["list", "fed"]).talk.contains("Did you mean 'feed'?"))
    for _ in 0..<2 { try bench.trendy("log", "feed", "3") }
    #expect(
      try bench.trendy("list", "feed", "--limit", "1").output.contains("Older entries: trendy list feed --limit 1"))
  }

  @Test func `counts of one use the singular`() throws {
    try bench.trendy("log", "feed")
    try bench.trendy("vehicle", "add", "Van")
    try bench.trendy("trip", "add", "7km", "--at", "2026-11-20 8:00", "--for", "20m")
    #expect(try bench.trendy("status").output.contains("Contents: 2 events, 7 event types, 0 places"))
    try bench.trendy("rm", "@1")
    try bench.trendy("place", "add", "Home", "52.1,4.3")
    #expect(try bench.trendy("status").output.contains("Contents: 1 event, "))
    #expect(try bench.trendy("status").output.contains(", 1 place\n"))
    try bench.trendy("undo", "2")
    #expect(try bench.trendy("vehicle", "list").output.contains("  1 trip  "))
  }

  private func narrow(_ line: String, width: Int = 40) throws -> String {
    let words = line.split(separator: " ").map(String.init) + ["--store", bench.store()]
    return try bench.run("trendy", words, environment: ["COLUMNS": "\(width)"]).output
  }

  @Test func `a narrow terminal shows the requested values`() throws {
    try bench.trendy("log", "feed")
    let settings = try narrow("config list")
    #expect(settings.contains("week_starts_on  monday"), "\(settings)")
    #expect(try narrow("config list", width: 80).contains("monday "))
    for command in ["status", "sync status", "undo --list", "cal feed", "config list"] {
      let lines = try narrow(command).split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= 40 || !$0.drop { $0 == " " }.contains(" ") }, "\(command): \(lines)")
    }
    #expect(try narrow("undo --list").contains("log feed"))
    #expect(try narrow("cal feed").contains("on 1 of 1 day since"))
    #expect(try narrow("status").contains("connect URL"))
  }

  @Test(
    "a command name of another program suggests the equivalent one",
    arguments: zip(
      ["begin", "resume", "annotate", "tags", "done", "next"],
      ["start", "continue", "edit", "type", "stop", "today"]))
  func otherWords(word: String, here: String) throws {
    #expect(try trendy([word]).talk.contains("Did you mean 'trendy \(here)'?"))
  }

  @Test func `an import reports the years of the imported events`() throws {
    let file = bench.folder.appending(path: "old.csv")
    try Data("type,start\nfeed,2020-01-01T08:00:00Z\nfeed,2021-01-02T08:00:00Z\n".utf8).write(to: file)
    let output = try bench.trendy("import", file.path).output
    #expect(output.contains("Wed 1 Jan 2020 to Sat 2 Jan 2021"), "\(output)")
  }

  @Test func `a backup is not imported, and the hint names restore`() throws {
    let file = bench.folder.appending(path: "b.trendy").path
    try bench.trendy("backup", file)
    let refused = try bench.trendy("import", file)
    #expect(refused.status == 65 && refused.talk.contains("trendy restore \(file)"), "\(refused.talk)")
  }

  @Test func `an export without a format lists the formats`() throws {
    let refused = try trendy(["export"])
    #expect(refused.status == 64 && refused.talk.contains("Supported formats: ") && refused.talk.contains("csv"))
  }

  @Test func `a second user with the same name on a hub is rejected with a hint`() throws {
    let hub = bench.store("hub")
    try bench.trendyd("hub", "init", "--name", "Ann B", "--data", hub)
    let refused = try bench.trendyd("user", "add", "ann b", "--data", hub)
    #expect(refused.status == 73 && refused.talk.contains("trendyd pair --name 'Ann B'"), "\(refused.talk)")
    #expect(try bench.trendyd("user", "limit", "Ann B", "--rows", "none", "--data", hub).output.contains("no limit"))
  }
}
