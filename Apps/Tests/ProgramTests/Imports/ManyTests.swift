import Foundation
import Testing
import TrendyModels

@Suite("Bulk operations", .waitsForPrograms, .timeLimit(.minutes(10)))
struct ManyTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
  }

  private func piped(_ text: String, _ words: String = "") throws -> Workbench.Result {
    try text.write(to: bench.folder.appending(path: "lines"), atomically: true, encoding: .utf8)
    return try bench.shell("trendy log - \(words) --store '\(bench.store())' < '\(bench.folder.path)/lines'")
  }

  private func rows(_ words: String...) throws -> [[Substring]] {
    let result = try bench.run("trendy", ["list", "--limit", "0", "--plain", "--store", bench.store()] + words)
    #expect(result.status == 0, "\(result.talk)")
    return result.output.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
  }

  private func notes(_ words: String...) throws -> [Substring] {
    try bench.run("trendy", ["list", "--limit", "0", "--plain", "--store", bench.store()] + words).output
      .split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false)[4] }
  }

  @Test func `every line from a pipe is recorded or reported by its number`() throws {
    let result = try piped(
      """
      coffee 2 --at "2026-11-20 8:30" -n one

      # a comment
      trendy log coffee size=large --at "2026-11-20 9:30" -n 'two and more'
      mood 9
      walk --create --from "2026-11-20 10:00" --for 20m -n three
      walk -n four --at "2026-11-20 11:00"
      coffee "no end
      coffee --foo
      {"event_type":"coffee","timestamp":"2026-11-20T12:00:00Z","properties":{"count":3,"size":"small"},"notes":"five"}
      {"event_type":{"name":"coffee"},"timestamp":"yesterday"}
      {"event_type":"coffee","not":1}
      {"event_type":"none"}
      """)
    #expect(result.status == 65)
    #expect(try notes() == ["five", "four", "three", "two and more", "one"])
    let told = result.talk.split(separator: "\n").compactMap { $0.firstMatch(of: #/^Error: Line ([0-9]+): /#)?.1 }
    #expect(told == ["5", "8", "9", "11", "12", "13"], "\(result.talk)")
    #expect(result.output.contains("Recorded 5 of 11 lines."))
    #expect(try rows("--where", "count=3")[0].suffix(2) == ["count=3", "size=small"])
    // All lines form one undo step, which includes the event type that they created.
    try bench.trendy("undo")
    #expect(try rows().isEmpty)
    #expect(try bench.trendy("log", "walk").status == 66)
    try bench.trendy("redo")
    #expect(try notes() == ["five", "four", "three", "two and more", "one"])
  }

  @Test func `log reads the output of list, and repeating it adds nothing`() throws {
    try bench.trendy("log", "coffee", "2", "size=large", "-n", "a \"b\" ü", "--at", "2026-11-20 8:30", "--for", "5m")
    try bench.trendy("log", "mood", "4", "--all-day")
    let lines = try bench.trendy("list", "--ndjson").output
    #expect(try piped(lines).status == 65)
    #expect(try rows().count == 2)
    let before = try bench.trendy("list", "--ndjson", "--limit", "0").output
    try bench.trendy("rm", "@1", "@2")
    #expect(try rows().isEmpty)
    try bench.trendy("init", store: "other")
    let other = try bench.shell(
      "trendy log - --store '\(bench.store("other"))' --json < '\(bench.folder.path)/lines'")
    #expect(other.status == 0, "\(other.talk)")
    #expect(try other.document.objectValue?["events"]?.arrayValue?.compactMap { $0.objectValue?["line"] } == [1, 2])
    #expect(try bench.trendy("list", "--ndjson", "--limit", "0", store: "other").output == before)
  }

  @Test func `ten thousand lines are one save and one undo step`() throws {
    let lines = (0..<10_000).map { "coffee \($0 % 5) --at 2026-10-\($0 % 20 + 10) -n n\($0)" }
    let result = try piped(lines.joined(separator: "\n"), "--plain")
    #expect(result.status == 0, "\(result.talk.prefix(300))")
    #expect(result.output.split(separator: "\n").count == 10_000)
    #expect(try rows().count == 10_000)
    try bench.trendy("log", "mood")
    try bench.trendy("undo", "2")
    #expect(try rows().isEmpty)
  }

  @Test func `a list is paged, and every page names the command for the next one`() throws {
    // The list is longer than a page of the store, and many events have the same timestamp.
    #expect(
      try piped((0..<2500).map { "coffee -n n\($0) --at 2026-10-\($0 % 3 + 10)" }.joined(separator: "\n")).status == 0)
    let all = try notes()
    #expect(Set(all).count == 2500)
    var found: [Substring] = []
    var before: [String] = []
    while true {
      let page = try bench.run(
        "trendy", ["list", "--type", "coffee", "--limit", "900", "--json", "--store", bench.store()] + before)
      let document = try #require(try page.document.objectValue)
      found += try #require(document["events"]?.arrayValue).compactMap { $0.objectValue?["notes"]?.stringValue }
        .map { Substring($0) }
      guard let next = document["next"]?.stringValue else { break }
      before = ["--before", next]
    }
    #expect(found == all)
    let text = try bench.trendy("list", "--limit", "2", "--grep", "n7").output
    let older = try #require(text.firstMatch(of: #/2 entries\.  Older entries: (trendy .*)/#)?.1)
    let shown = try bench.shell("export TRENDY_STORE='\(bench.store())'; \(older)").output
    #expect(shown.contains("Older entries:") && !shown.contains(text.split(separator: "\n")[1]))
  }

  @Test(
    "events are filtered by property, place, source, date and text",
    arguments: [
      ("--where count>2", ["c", "b"]), ("--where count=2 --where size!=large", ["a"]), ("--where size=LARGE", ["b"]),
      ("--where count<=2", ["a"]), ("--place home", ["e"]),
      ("--source manual --type coffee --type mood", ["d", "c", "b", "a"]),
      ("--source imported", []), ("--where duration>=45m", ["e"]), ("--where duration<45m", []),
      ("--since 2026-11-02..2026-11-03", ["c", "b"]), ("--grep large", ["b"]),
    ])
  func filters(words: String, found: [Substring]) throws {
    try bench.trendy("place", "add", "Home", "51.9270,4.3620")
    #expect(
      try piped(
        """
        coffee 2 -n a --at 2026-11-01
        coffee 3 size=large -n b --at 2026-11-02
        coffee 4 -n c --at 2026-11-03
        mood 4 -n d --at 2026-11-04
        workout 45m -n e --at 2026-11-05 --place home
        """
      ).status == 0)
    #expect(
      try bench.run(
        "trendy", ["list", "--plain", "--store", bench.store()] + words.split(separator: " ").map(String.init)
      )
      .output.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false)[4] } == found)
  }

  @Test func `a condition that can never match is rejected`() throws {
    for (condition, word) in [
      ("cuont>2", "Did you mean 'count'?"), ("count>x", "number"), ("size>large", "Use = or !="),
      ("count", "condition"),
    ] {
      let result = try bench.trendy("list", "--where", condition, "--json")
      #expect(result.status != 0 && result.talk.contains(word), "\(condition): \(result.talk)")
      #expect(result.output.isEmpty)
    }
  }

  @Test func `a filtered edit or deletion needs confirmation and is one undo step`() throws {
    #expect(try piped((1...30).map { "coffee \($0) -n n\($0) --at 2026-11-01" }.joined(separator: "\n")).status == 0)
    let asked = try bench.trendy("edit", "--of", "coffee", "--where", "count>20", "size=large")
    #expect(
      asked.status == 64 && asked.talk.contains("Apply these changes to 10 events?") && asked.talk.contains("--yes"))
    let shown = try bench.trendy("edit", "--of", "coffee", "--where", "count>20", "size=large", "--dry-run")
    #expect(shown.status == 0 && shown.output.split(separator: "\n").count == 10)
    #expect(try notes("--where", "size=large").isEmpty)
    #expect(try bench.trendy("edit", "--of", "coffee", "--where", "count>20", "size=large", "--yes").status == 0)
    #expect(try notes("--where", "size=large").count == 10)
    #expect(try bench.trendy("rm", "--where", "size=large").status == 64)
    #expect(try bench.trendy("rm", "--where", "size=large", "--dry-run").output.split(separator: "\n").count == 10)
    #expect(try notes().count == 30)
    #expect(try bench.trendy("rm", "--where", "size=large", "-y").status == 0)
    #expect(try notes().count == 20)
    try bench.trendy("undo")
    #expect(try notes("--where", "size=large").count == 10)
    try bench.trendy("undo")
    #expect(try notes("--where", "size=large").isEmpty)
    #expect(try notes().count == 30)
    #expect(try bench.trendy("edit", "@1", "@2", "@2", "--place", "nowhere").status == 66)
    #expect(try bench.trendy("edit", "@1", "@2", "@2", "size=small").status == 0)
    #expect(try notes("--where", "size=small").count == 2)
    #expect(try bench.trendy("rm").status == 64)
    #expect(try bench.trendy("rm", "@1", "--type", "coffee").status == 64)
    #expect(try bench.trendy("rm", "--type", "coffee", "--grep", "nothing", "-y").status == 66)
    #expect(try notes().count == 30)
  }

  @Test func `undo of many changes reports and keeps the events that were changed since`() throws {
    let hub = try TestHub(bench)
    try bench.trendy("init", store: "other")
    for store in ["store", "other"] {
      #expect(try bench.trendy("connect", hub.url, hub.code(), store: store).status == 0)
    }
    func sync() throws { for store in ["store", "other", "store"] { try bench.trendy("sync", store: store) } }
    #expect(try piped((1...60).map { "coffee \($0) -n n\($0) --at 2026-11-01" }.joined(separator: "\n")).status == 0)
    #expect(try bench.trendy("edit", "--of", "coffee", "--since", "2026-01-01", "size=large", "-y").status == 0)
    try sync()
    let id = String(try rows("--where", "count=7")[0][0])
    #expect(try bench.trendy("edit", id, "size=small", store: "other").status == 0)
    try sync()
    let undone = try bench.trendy("undo", "--json")
    #expect(undone.status == 0, "\(undone.talk)")
    #expect(try undone.document.objectValue?["left"]?.arrayValue == [.string(id)])
    #expect(undone.talk.contains("Kept because they have been changed since: "))
    #expect(try notes("--where", "size=large").isEmpty)
    #expect(try notes("--where", "size=small") == ["n7"])
    try sync()
    #expect(try bench.trendy("list", "--limit", "0", "--where", "size=large", "--plain", store: "other").output.isEmpty)
    // Undoing the logged lines deletes their events except the event that was edited.
    try bench.trendy("undo")
    #expect(try notes() == ["n7"])
    try bench.trendy("redo")
    #expect(try notes().count == 60)
  }
}
