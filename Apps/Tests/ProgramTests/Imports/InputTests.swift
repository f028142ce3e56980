import Foundation
import Testing
import TrendyModels

/// Tests standard input, repeated options and alternative spellings.
@Suite("Input", .waitsForPrograms, .timeLimit(.minutes(10)))
struct InputTests {
  private let bench: Workbench
  private let track: String

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
    track = Samples.drive.path
  }

  @Test(
    "a track is read from a pipe, a FIFO, a process substitution and a here-document",
    arguments: [
      "cat '%' | trendy import -", "trendy import <(cat '%')", "mkfifo f; cat '%' > f & trendy import f",
      "trendy import - < '%'", "trendy track add - --device phone <<< \"$(cat '%')\"", "cat '%' | trendy track add -",
      "trendy track detect <(cat '%')",
      "trendy place add Home 51.9270,4.3620 -q; trendy place simulate Home <(cat '%')",
    ])
  func pipes(line: String) throws {
    let line = line.replacing("%", with: track)
    let result = try bench.shell("cd '\(bench.folder.path)'; export TRENDY_STORE='\(bench.store())'; \(line)")
    #expect(result.status == 0, "\(result.talk)")
    #expect(!result.output.isEmpty)
  }

  @Test func `an interrupted import reports the saved part, and repeating the command resumes it`() throws {
    // The import takes more than one save. The file is NDJSON rather than a table, which would be read completely
    // before the first save.
    let type = "{\"record\":\"event_type\",\"id\":\"t\",\"name\":\"coffee\",\"color\":\"#000000\",\"icon\":\"x\"}\n"
    let rows = (1...66_000).map {
      "{\"record\":\"event\",\"id\":\"e\($0)\",\"event_type_id\":\"t\",\"timestamp\":\"2026-01-01T00:00:00Z\"}\n"
    }.joined()
    let table = bench.folder.appending(path: "rows.ndjson")
    try (type + rows).write(to: table, atomically: true, encoding: .utf8)
    // The pipe contains all rows and stays open, so that Ctrl-C arrives while the import waits for more input.
    let result = try bench.shell(
      """
      cd '\(bench.folder.path)'; export TRENDY_STORE='\(bench.store())'; mkfifo pipe; exec 3<>pipe
      trendy import pipe & cat rows.ndjson >&3
      until trendy import list | grep -q ndjson; do sleep 0.1; done
      kill -INT $!; wait $!
      """)
    #expect(result.status == 130)
    #expect(result.talk.contains("Interrupted") && result.talk.contains("Repeat the command"), "\(result.talk)")
    let again = try bench.shell(
      "cd '\(bench.folder.path)'; export TRENDY_STORE='\(bench.store())'; cat rows.ndjson > pipe & trendy import pipe")
    #expect(again.output.contains("Continuing an interrupted import"), "\(again.output) \(again.talk)")
    let whole = try bench.trendy("status")
    #expect(whole.output.contains("Contents: 66000 events"), "\(whole.output)")
  }

  @Test func `the progress of an import is shown only on a terminal`() throws {
    let rows = (1...300).map { "coffee,2026-01-01T00:00:00Z,row \($0)\n" }.joined()
    try ("type,start,note\n" + rows).write(
      to: bench.folder.appending(path: "rows.csv"), atomically: true, encoding: .utf8)
    // The second half of the input arrives after the progress line has become visible.
    let slow = "(head -c 4000 rows.csv; sleep 1.2; tail -c +4001 rows.csv) | trendy import -"
    let environment = "cd '\(bench.folder.path)'; export TERM=xterm TRENDY_STORE='\(bench.store())'"
    let terminal = try bench.shell("\(environment); script -qec \"\(slow)\" /dev/null")
    #expect(terminal.output.contains("kB/s\u{1B}[K\r\u{1B}[K"), "\(terminal.output.debugDescription)")
    let piped = try bench.shell("\(environment); \(slow)")
    #expect(!piped.talk.contains("kB") && !piped.output.contains("kB"))
  }

  @Test func `a list goes through the pager on a terminal if enabled`() throws {
    try bench.trendy("log", "coffee")
    let environment = "export TERM=xterm PAGER='sed s/^/paged:/' TRENDY_STORE='\(bench.store())'"
    func list(_ command: String) throws -> String { try bench.shell("\(environment); \(command)").output }
    #expect(try list("script -qec 'trendy list --pager --no-color' /dev/null").contains("paged:1 entry"))
    #expect(try !list("script -qec 'trendy list --no-color' /dev/null").contains("paged"))
    #expect(try list("TRENDY_PAGER=on script -qec 'trendy list --no-color' /dev/null").contains("paged:1 entry"))
    // Output to a pipe is not paged.
    #expect(try !list("trendy list --pager | cat").contains("paged"))
    #expect(try bench.shell("\(environment); PAGER=false script -qec 'trendy list --pager' /dev/null").status == 0)
  }

  @Test func `a folder, a missing file and empty input are rejected`() throws {
    let folder = try bench.trendy("import", bench.folder.path)
    #expect(folder.status == 65 && folder.talk.contains("contains nothing that can be imported"), "\(folder.talk)")
    #expect(try bench.trendy("import", bench.folder.path + "/none.gpx").status == 66)
    let empty = try bench.trendy("import", "-")
    #expect(empty.status == 65, "\(empty.talk)")
  }

  @Test func `a note is read from standard input`() throws {
    let result = try bench.shell(
      "printf 'two\\nlines\\n' | trendy log journal -n - --json --store '\(bench.store())'")
    #expect(try result.document.objectValue?["event"]?.objectValue?["notes"] == "two\nlines", "\(result.talk)")
    let edited = try bench.shell("echo other | trendy edit @1 --note=- --json --store '\(bench.store())'")
    #expect(try edited.document.objectValue?["event"]?.objectValue?["notes"] == "other", "\(edited.talk)")
    #expect(try bench.shell("printf '\\377' | trendy log journal -n - --store '\(bench.store())'").status == 65)
  }

  @Test func `a repeated option adds a value or is rejected`() throws {
    for type in ["coffee", "mood", "journal"] { try bench.trendy("log", type) }
    let listed = try bench.trendy("list", "--type", "coffee", "--type", "mood", "--plain")
    #expect(listed.output.split(separator: "\n").count == 2)
    #expect(listed.output.contains("coffee") && listed.output.contains("mood"))
    #expect(
      try bench.trendy("list", "--type", "coffee", "--type", "mood", "--limit", "1", "--plain").output.contains("mood"))
    let twice = try bench.trendy("list", "--limit", "1", "--limit", "2")
    #expect(
      twice.status == 64 && twice.talk.contains("Option '--limit' was specified twice: '1' and '2'"), "\(twice.talk)")
    // The last `--store` takes precedence, so that it can override the option in a shell alias.
    #expect(try bench.run("trendy", ["list", "--store", "/nowhere", "--store", bench.store()]).status == 0)
  }

  @Test(
    "weekdays are names, ranges or groups",
    arguments: [
      ("mon-fri", "Mon, Tue, Wed, Thu, Fri"), ("weekdays", "Mon, Tue, Wed, Thu, Fri"), ("weekend", "Sat, Sun"),
      ("fri-mon", "Mon, Fri, Sat, Sun"), ("Monday,thurs", "Mon, Thu"), ("sa", "Sat"),
    ])
  func weekdays(words: String, meaning: String) throws {
    let result = try bench.trendy("trip", "rule", "add", "r", "private", "--days", words)
    #expect(result.status == 0, "\(result.talk)")
    let listed = try bench.trendy("trip", "rule", "list")
    #expect(listed.output.contains(meaning), "\(listed.output)")
  }

  @Test("an invalid weekday is rejected", arguments: ["monkey", "m", "mon-", "mon-tue-wed", "mon,,tue", ""])
  func noWeekdays(words: String) throws {
    let result = try bench.trendy("trip", "rule", "add", "r", "private", "--days", words)
    #expect(result.status == 64 && result.talk.contains("Invalid weekday"), "\(result.talk)")
  }

  @Test func `an unknown time zone is reported, and a known one is not`() throws {
    for zone in ["Nonsense", "Nowhere/City", "../../etc/passwd", "../../../etc/passwd"] {
      let logged = try bench.trendy("log", "coffee", "--json", environment: ["TZ": zone])
      #expect(logged.talk.contains("Unknown time zone '\(zone)'"))
      #expect(try logged.document.objectValue?["event"]?.objectValue?["time_zone"]?.stringValue == nil, "\(zone)")
    }
    for zone in ["Europe/Amsterdam", ":Europe/Amsterdam", "CET-1CEST,M3.5.0,M10.5.0/3", "<+03>-3", "UTC", ""] {
      #expect(try bench.trendy("list", environment: ["TZ": zone]).talk == "", "\(zone)")
    }
  }

  @Test func `a number with options accepts only these values`() throws {
    let refused = try bench.trendy("log", "mood", "7")
    #expect(refused.status == 64 && refused.talk.contains("(1, 2, 3, 4, 5)"), "\(refused.talk)")
    #expect(try bench.trendy("log", "mood", "4.0", "--json").output.contains(#""value":4"#))
    #expect(
      try bench.trendy("type", "prop", "add", "coffee", "shots", "--kind", "number", "--options", "1,two").status == 64)
  }
}
