import Foundation
import Testing
import TrendyModels

#if canImport(Glibc)
  import Glibc
#endif

/// Tests the progress and interruption of operations that may take more than a second.
@Suite("Progress", .waitsForPrograms, .timeLimit(.minutes(10)))
struct ProgressTests {
  private let bench: Workbench
  private static let goneAgain = "\u{1B}[K\r\u{1B}[K"

  init() throws { bench = try Workbench() }

  private func fill(rows: Int) throws {
    try bench.trendy("init")
    let lines = (1...rows).map { "coffee,2026-01-01T00:00:00Z,row \($0)\n" }.joined()
    let table = bench.folder.appending(path: "rows.csv")
    try ("type,start,note\n" + lines).write(to: table, atomically: true, encoding: .utf8)
    #expect(try bench.trendy("import", table.path).status == 0)
  }

  private func shell(_ line: String, after seconds: Int = 0) throws -> Workbench.Result {
    let environment = "TERM=xterm TRENDY_PROGRESS_AFTER=\(seconds) TRENDY_STORE='\(bench.store())'"
    return try bench.shell("cd '\(bench.folder.path)'; export \(environment); \(line)")
  }

  @Test func `backup, restore, export and recompute show their progress only on a terminal`() throws {
    try fill(rows: 600)
    #expect(try bench.trendy("track", "add", Samples.drive.path, "--device", "phone").status == 0)
    let cases = [
      ("backup b.trendy --yes", "Backing up"), ("restore b.trendy --yes", "Checking"),
      ("restore b.trendy --yes", "Restoring"), ("export ndjson all.ndjson --yes", "records/s"),
      ("export csv all.csv --yes", "records/s"), ("export gpx all.gpx --all --yes", "fixes/s"),
      ("trip recompute", "days/s"),
    ]
    for (command, words) in cases {
      let shown = try shell("script -qec 'trendy \(command)' /dev/null")
      #expect(shown.status == 0 && shown.output.contains(words), "\(command): \(shown.output.debugDescription)")
      #expect(shown.output.contains(Self.goneAgain), "\(command): \(shown.output.debugDescription)")
      for quiet in ["trendy \(command)", "script -qec 'trendy \(command) --json' /dev/null"] {
        let result = try shell(quiet)
        #expect(!(result.output + result.talk).contains("\u{1B}[K"), "\(quiet): \(result.output) \(result.talk)")
      }
    }
    let early = try shell("script -qec 'trendy backup b.trendy --yes' /dev/null", after: 3600)
    #expect(early.status == 0 && !early.output.contains("Backing up"))
    // A progress line would overwrite an export that is printed on the terminal.
    #expect(try !shell("script -qec 'trendy export ndjson -' /dev/null").output.contains("records/s"))
  }

  @Test func `backup and restore of a hub show their progress only on a terminal`() throws {
    try bench.trendyd("hub", "init", "--data", bench.store("hub"))
    let hub = "--data '\(bench.store("hub"))'"
    for (command, words) in [
      ("hub backup hub.b --yes \(hub)", "Backing up"), ("hub restore hub.b --yes \(hub)", "Checking"),
      ("hub restore hub.b --yes \(hub)", "Restoring"),
    ] {
      let shown = try shell("script -qec \"trendyd \(command)\" /dev/null")
      #expect(shown.status == 0 && shown.output.contains(words), "\(command): \(shown.output.debugDescription)")
      #expect(shown.output.contains(Self.goneAgain), "\(command): \(shown.output.debugDescription)")
      let quiet = try shell("trendyd \(command)")
      #expect(quiet.status == 0 && !(quiet.output + quiet.talk).contains("\u{1B}[K"), "\(quiet.talk)")
    }
  }

  @Test func `an interrupted export keeps the previous file and leaves no partial file`() throws {
    try fill(rows: 3000)
    // The temporary file is a pipe that is never read, so the export blocks and Ctrl-C arrives in the middle of it.
    let result = try shell(
      """
      echo before > all.ndjson; mkfifo all.ndjson.new; exec 3<>all.ndjson.new
      trendy export ndjson all.ndjson --yes & head -c 1 <&3 > /dev/null; kill -INT $!; wait $!
      status=$?; cat all.ndjson; ls all.ndjson*; exit $status
      """)
    #expect(result.status == 130)
    #expect(result.talk.contains("Interrupted") && result.talk.contains("Nothing was written"), "\(result.talk)")
    #expect(result.output == "before\nall.ndjson\n")
  }

  @Test func `two exports never write to the same file`() throws {
    try fill(rows: 3000)
    // The first export blocks while it writes to the pipe, and holds the temporary file's lock.
    let result = try shell(
      """
      mkfifo all.ndjson.new; exec 3<>all.ndjson.new
      trendy export ndjson all.ndjson & head -c 1 <&3 > /dev/null
      trendy export ndjson all.ndjson; echo $?; kill -INT $!; wait $!
      trendy export ndjson all.ndjson > /dev/null; echo $?; grep -c . all.ndjson; ls all.ndjson*
      """)
    let lines = result.output.split(separator: "\n")
    #expect(lines.first == "75" && lines.dropFirst().first == "0" && lines.last == "all.ndjson", "\(result.output)")
    #expect(result.talk.contains("Another program is writing"), "\(result.talk)")
  }

  @Test func `an interrupted sync reports that no data was lost, and the next sync succeeds`() throws {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    #expect(try bench.trendy("connect", hub.url, hub.code()).status == 0)
    try bench.trendy("log", "coffee", "--create")
    kill(hub.process.processIdentifier, SIGSTOP)
    defer { kill(hub.process.processIdentifier, SIGCONT) }
    let typed = Pipe()
    let sync = try Running(
      bench, "/usr/bin/script",
      ["-qec", "\(Workbench.path("trendy")) sync --store '\(bench.store())'", "/dev/null"],
      environment: ["TERM": "xterm", "TRENDY_PROGRESS_AFTER": "0"], input: typed.fileHandleForReading)
    let isShown = try eventually { sync.text.contains("changes/s") ? true : nil }
    #expect(isShown == true, "\(sync.text)")
    typed.fileHandleForWriting.write(Data([3]))
    sync.process.waitUntilExit()
    #expect(sync.process.terminationStatus == 130, "\(sync.text)")
    #expect(sync.text.contains("Interrupted") && sync.text.contains("No data was lost"), "\(sync.text)")
    #expect(sync.text.contains("\r\u{1B}[K"))
    kill(hub.process.processIdentifier, SIGCONT)
    let next = try bench.trendy("sync")
    #expect(next.status == 0 && next.output.contains("Nothing pending"), "\(next.talk)")
  }
}
