import Foundation
import Testing
import TrendyModels

/// Tests that each kind of invalid input leads to one error message with a hint and an exit status, without data loss.
@Suite("Bad input", .waitsForPrograms, .timeLimit(.minutes(10)))
struct BadInputTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
    try bench.trendy("log", "coffee", "1", "-n", "kept")
  }

  private func expectKept(_ comment: Comment? = nil) throws {
    let events = try bench.trendy("list", "--json").document.objectValue?["events"]?.arrayValue
    #expect(events?.count == 1, comment)
    #expect(events?.first?.objectValue?["notes"] == "kept", comment)
  }

  @Test func `an unknown command suggests the nearest one`() throws {
    let result = try bench.trendy("lgo", "coffee")
    #expect(result.status == 64)
    #expect(result.talk == "Error: Command 'lgo' not found\nHint:  Did you mean 'trendy log'?\n")
    #expect(try bench.trendy("type", "lst").talk.contains("Did you mean 'trendy type list'?"))
    #expect(try bench.trendy("log", "--nope", "coffee").status == 64)
    #expect(try bench.trendy("version").talk.contains("Did you mean 'trendy --version'?"))
  }

  @Test func `an argument that is not UTF-8 is rejected, and nothing is recorded`() throws {
    for (words, shown) in [
      ("log coffee -n $'caf\\xe9'", "caf\u{FFFD}"), ("import $'caf\\xe9.gpx'", "caf\u{FFFD}.gpx"),
      ("--store $'st\\xe9re' init", "st\u{FFFD}re"),
    ] {
      let result = try bench.shell("trendy \(words)")
      #expect(result.status == 64, "\(words)")
      #expect(
        result.talk.hasPrefix("Error: Argument '\(shown)' is not UTF-8\nHint:  "), "\(words): \(result.talk)")
    }
    let daemon = try bench.shell("trendyd status $'\\xe9' --json")
    #expect(daemon.status == 64 && daemon.talk.contains("is not UTF-8"), "\(daemon.talk)")
    try expectKept()
  }

  @Test func `a name that contains bidirectional controls or line separators is rejected`() throws {
    for name in ["ab\u{202E}cd", "ab\u{2028}cd"] {
      let result = try bench.trendy("type", "add", name)
      #expect(result.status == 64 && result.talk.contains("Invalid type name"), "\(result.talk)")
      #expect(!result.talk.contains(name))
    }
  }

  @Test func `an error message that quotes a file contains no terminal control characters`() throws {
    let file = bench.folder.appending(path: "table.csv")
    try Data("type,timestamp\ncoffee,\u{1B}]0;mine\u{7}\n".utf8).write(to: file)
    let result = try bench.trendy("import", file.path)
    #expect(
      result.status == 65 && result.talk.contains("invalid time '\u{FFFD}]0;mine\u{FFFD}'"),
      "\(result.talk)")
    #expect(!(result.talk + result.output).unicodeScalars.contains("\u{1B}"))
  }

  @Test func `a type name used as a command gets a hint on how to log it`() throws {
    let result = try bench.trendy("Coffee", "2", "-n", "with milk")
    #expect(result.status == 64)
    #expect(
      result.talk.hasPrefix(
        "Error: Command 'Coffee' not found\nHint:  To record an event: trendy log Coffee 2 -n 'with milk' "))
    #expect(try bench.trendy("tea").talk.contains("Run 'trendy help' to see all commands."))
  }

  @Test func `logging an unknown type creates no type and suggests the nearest one`() throws {
    let result = try bench.trendy("log", "coffe2")
    #expect(result.status == 66)
    #expect(
      result.talk
        == "Error: Event type 'coffe2' not found\nHint:  Did you mean 'coffee'? To create a new type: trendy log coffe2 --create\n"
    )
    #expect(try bench.trendy("type", "list", "--plain").output.split(separator: "\n").count == 5)
    let json = try bench.trendy("log", "coffe2", "--json")
    #expect(try json.error.objectValue?["exit"] == 66)
    #expect(try json.error.objectValue?["code"] == "not_found")
    try expectKept()
  }

  @Test(
    "a bare word that cannot be assigned to a property gets a hint with the option to use",
    arguments: [
      (["coffee", "large"], "Did you mean size=large?"), (["coffee", "2", "Large"], "Did you mean size=Large?"),
      (["coffee", "yesterday", "9am"], "--at 'yesterday 9am'"), (["coffee", "2", "8:30", "size=small"], "--at 8:30"),
      (["coffee", "45m"], "--for 45m"), (["journal", "45m"], "--for 45m"), (["walk", "45m", "--create"], "--for 45m"),
      (["coffee", "2", "oat"], "-n 'oat'"), (["journal", "3"], "-n '3'"), (["coffee", "many"], "Cups (a number)"),
    ])
  func bareWord(words: [String], hint: String) throws {
    let result = try bench.run("trendy", ["log"] + words + ["--store", bench.store()])
    #expect(result.status == 64)
    #expect(result.talk.contains(hint), "\(result.talk)")
    try expectKept()
  }

  @Test func `a truncated GPX file is rejected with its line number, and nothing is imported`() throws {
    let drive = try Data(contentsOf: Samples.drive)
    let file = bench.folder.appending(path: "cut.gpx")
    try drive.prefix(drive.count / 2).write(to: file)
    let result = try bench.trendy("import", "gpx", file.path)
    #expect(result.status == 65)
    #expect(result.talk.hasPrefix("Error: ") && result.talk.contains("line") && result.talk.contains("Hint:  "))
    #expect(try bench.trendy("trip", "list", "--plain").output == "")
    try expectKept()
    #expect(try bench.trendy("import", "gpx", "/nonexistent.gpx").status == 66)
    try Data("<html>".utf8).write(to: file)
    #expect(try bench.trendy("import", "gpx", file.path).status == 65)
  }

  @Test func `a store of a newer version is rejected and left unchanged`() throws {
    let manifest = URL(filePath: bench.store()).appending(path: "manifest")
    let original = try Data(contentsOf: manifest)
    try Samples.raiseFormatVersion(of: manifest)
    let newer = try Data(contentsOf: manifest)
    let result = try bench.trendy("log", "coffee")
    #expect(result.status == 76)
    #expect(result.talk.contains("version") && result.talk.contains("Hint:  "))
    #expect(try Data(contentsOf: manifest) == newer)
    try original.write(to: manifest)
    try expectKept()
  }

  @Test func `pairing with a server that answers HTML fails and loses no data`() throws {
    let server = try HTMLServer()
    let result = try bench.trendy("connect", "http://127.0.0.1:\(server.port)", "4821-0937")
    #expect(result.status == 76)
    #expect(result.talk.contains("text/html") && result.talk.contains("Hint:  "))
    try expectKept()
    #expect(try bench.trendy("sync", "status", "--json").document.objectValue?["sync"]?.objectValue?["hub"] == .null)
  }

  @Test func `a wrong pairing code is rejected and does not connect`() throws {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    let code = try hub.code()
    let wrong = code.hasPrefix("0000") ? "1111-1111" : "0000-0000"
    let result = try bench.trendy("connect", hub.url, wrong)
    #expect(result.status == 77)
    #expect(result.talk.contains("code") && result.talk.contains("Hint:  "))
    try expectKept()
    #expect(try bench.trendy("sync").status == 78)
    #expect(try bench.trendy("connect", hub.url, code).status == 0)
    #expect(try bench.trendy("connect", hub.url, code).status == 77, "a code works once")
    try expectKept()
  }

  @Test func `a sync with an unreachable hub fails and keeps the pending changes`() throws {
    let hub = try TestHub(bench)
    #expect(try bench.trendy("connect", hub.url, hub.code()).status == 0)
    hub.stop()
    try bench.trendy("log", "coffee", "2", "-n", "offline")
    let result = try bench.trendy("sync")
    #expect(result.status == 69)
    #expect(result.talk.contains("No data was lost"))
    #expect(try bench.trendy("sync", "status", "--json").document.objectValue?["sync"]?.objectValue?["waiting"] == 1)
    let again = try TestHub(bench, port: hub.port)
    defer { again.stop() }
    #expect(try bench.trendy("sync").status == 0)
    #expect(try bench.trendy("sync", "status", "--json").document.objectValue?["sync"]?.objectValue?["waiting"] == 0)
  }

  @Test func `a port that is already in use is reported`() throws {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    let other = bench.store("other-hub")
    #expect(try bench.run("trendyd", ["hub", "init", "--data", other]).status == 0)
    let result = try bench.run(
      "trendyd", ["run", "--role", "hub", "--data", other, "--listen", "127.0.0.1:\(hub.port)"])
    #expect(result.status == 78)
    #expect(result.talk.contains(hub.port) && result.talk.contains("Hint:  "))
  }

  @Test func `a second hub on the same folder does not start, and the first continues to run`() throws {
    let hub = try TestHub(bench)
    let second = try bench.run("trendyd", ["run", "--role", "hub", "--data", hub.data, "--listen", "127.0.0.1:0"])
    #expect(second.status == 75)
    #expect(second.talk.contains("Another hub is using \(hub.data)") && second.talk.contains("Hint:  "))
    #expect(try bench.trendy("connect", hub.url, hub.code()).status == 0)
    // The operating system releases the lock even if the hub is killed.
    hub.kill()
    let next = try TestHub(bench)
    defer { next.stop() }
    #expect(next.process.isRunning)
  }

  @Test func `a full disk rejects the save, keeps all data, and accepts saves again when there is space`() throws {
    // Set a file size limit, which has the same effect for the program as a full disk.
    let result = try bench.shell(
      "ulimit -f 8; trendy log coffee --store '\(bench.store())' -n \(String(repeating: "x", count: 20_000))")
    #expect(result.status == 74, "\(result.talk)\(result.output)")
    #expect(result.talk.contains("No space left") && result.talk.contains("Hint:  "))
    try expectKept()
    #expect(try bench.trendy("log", "coffee", "-n", "again").status == 0)
    #expect(try bench.trendy("list", "--plain").output.split(separator: "\n").count == 2)
  }

  @Test func `a damaged store is rejected, and repair keeps all intact data`() throws {
    for number in 1...20 { try bench.trendy("log", "coffee", "\(number)", "-n", "filler \(number)") }
    let log = URL(filePath: bench.store()).appending(path: "log-1")
    var bytes = try Data(contentsOf: log)
    let middle = try #require(bytes.firstRange(of: Data("filler 10".utf8))).lowerBound
    bytes[middle] ^= 0x20
    try bytes.write(to: log)
    let refused = try bench.trendy("list")
    #expect(refused.status == 74)
    #expect(refused.talk.contains("damaged at byte") && refused.talk.contains("trendy doctor --repair"))
    let ill = try bench.trendy("doctor")
    #expect(ill.status == 1)
    #expect(ill.output.contains(log.path) && ill.output.contains("at byte") && ill.output.contains("doctor --repair"))
    let finding = try bench.trendy("doctor", "--json").document.objectValue?["findings"]?.arrayValue?.first?.objectValue
    #expect(finding?["kind"] == "damage" && finding?["file"] == .string(log.path))
    #expect(finding?["offset"]?.intValue.map { $0 <= middle && $0 > middle - 500 } == true)
    let repaired = try bench.trendy("doctor", "--repair", "--json")
    #expect(repaired.status == 0, "\(repaired.talk)")
    let repair = try repaired.document.objectValue?["repair"]?.objectValue
    #expect(repair?["saves_lost"] == 1)
    // The damaged save contained three rows: the event, its mutation and its position in the order of saves.
    #expect(repair?["lost_saves"]?.arrayValue?.first?.objectValue?["named"]?.arrayValue?.count == 3)
    for file in try #require(repair?["set_aside"]?.arrayValue) {
      #expect(FileManager.default.fileExists(atPath: try #require(file.stringValue)))
    }
    #expect(try bench.trendy("list", "--limit", "0", "--plain").output.split(separator: "\n").count == 20)
    #expect(try bench.trendy("doctor").status == 0)
  }

  @Test func `a store without its manifest is reported as damaged and can be repaired`() throws {
    try bench.trendy("log", "coffee", "-n", "kept")
    try FileManager.default.removeItem(at: URL(filePath: bench.store()).appending(path: "manifest"))
    let refused = try bench.trendy("log", "coffee")
    #expect(
      refused.status == 74 && refused.talk.contains("The manifest of the store")
        && refused.talk.contains("trendy doctor"))
    #expect(!refused.talk.contains("trendy init"))
    #expect(try bench.trendy("doctor", "--repair").status == 0)
    #expect(try bench.trendy("list").output.contains("kept"))
  }

  @Test func `a rejected file is reported under the name that the user typed`() throws {
    try bench.trendy("log", "coffee")
    let refused = try bench.shell(
      "cd '\(bench.folder.path)'; echo cut > may.b; trendy restore may.b --yes --store '\(bench.store())'")
    #expect(refused.status == 65 && refused.talk.hasPrefix("Error: may.b is not a valid backup"), "\(refused.talk)")
  }

  @Test func `output that cannot be written is an error, and the change itself is kept`() throws {
    let store = bench.store()
    let result = try bench.shell(
      """
      trendy list --plain --store \(store) > /dev/full; echo $?
      trendy log coffee --store \(store) > /dev/full; echo $?
      trendy list --store \(store) | true; echo ${PIPESTATUS[0]}
      trendy list --store \(store) >&-; echo $?
      trendy list --plain --store \(store) | wc -l
      """)
    #expect(result.output == "74\n0\n0\n74\n2\n", "\(result.talk)")
    #expect(result.talk.contains("No space left on device"), "\(result.talk)")
  }

  @Test func `output to closed standard streams is never written into the store`() throws {
    let store = bench.store()
    let result = try bench.shell(
      """
      for i in 1 2 3; do trendy log coffee $i --store \(store) >&- 2>&- <&-; done
      trendy doctor --store \(store) > /dev/null; echo $?
      trendy list --plain --store \(store) | wc -l
      """)
    #expect(result.output == "0\n4\n", "\(result.talk)")
  }

  @Test func `a store path that is a file is reported`() throws {
    let file = bench.folder.appending(path: "file")
    try Data().write(to: file)
    let result = try bench.run("trendy", ["init", "--store", file.path])
    #expect(result.status == 73)
    #expect(result.talk.contains("not a folder") && result.talk.contains("Hint:  "))
  }

  @Test func `numbers outside the range of times and durations are rejected`() throws {
    let nines = String(repeating: "9", count: 23)
    for words in [
      ["log", "workout", "\(nines)h"], ["log", "workout", String(repeating: "9", count: 400)],
      ["log", "coffee", "--for", "\(nines)h"], ["log", "coffee", "--at", "-\(nines)h"],
      ["log", "coffee", "--at", "-9999999999h"], ["log", "coffee", "--at", "9999-12-31", "--for", "2w"],
    ] {
      let result = try bench.run("trendy", words + ["--store", bench.store()])
      #expect(result.status == 64, "\(words): \(result.talk)")
      #expect(result.talk.hasPrefix("Error: "), "\(words): \(result.talk)")
    }
    try expectKept()
  }

  @Test func `an empty id or name is rejected and never matches the only entity`() throws {
    for words in [
      ["rm", ""], ["show", ""], ["edit", "", "-n", "x"], ["log", ""], ["type", "add", "  "], ["type", "add", "a\nb"],
      ["place", "add", "", "1,2"],
    ] {
      let result = try bench.run("trendy", words + ["--store", bench.store()])
      #expect(result.status == 64, "\(words): \(result.talk)")
    }
    #expect(try bench.run("trendy", ["status", "--store", ""]).status == 64)
    try expectKept()
  }

  @Test func `a damaged account file is reported without printing its token`() throws {
    let account = URL(filePath: bench.store()).appending(path: "account.json")
    try Data(#"{"token":"secret-token","#.utf8).write(to: account)
    for words in [["sync"], ["status"], ["sync", "status"], ["connect", "http://127.0.0.1:1", "0000-0000"]] {
      let result = try bench.run("trendy", words + ["--store", bench.store()])
      #expect(result.status == 78, "\(words): \(result.talk)")
      #expect(result.talk.contains("account.json") && result.talk.contains("pair with the same hub again"))
      #expect(!result.talk.contains("secret"))
    }
    try expectKept()
  }

  @Test func `an agent that cannot sync its store exits, even if it also serves a hub`() throws {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    #expect(try bench.trendy("connect", hub.url, hub.code()).status == 0)
    let agent = try Running(bench, "trendyd", ["run", "--store", bench.store()])
    defer { agent.stop() }
    try #require(try eventually { agent.text.contains("syncs with") ? true : nil } == true)
    let other = try bench.shell("timeout 60 trendyd run --store '\(bench.store())'")
    #expect(other.status == 75, "\(other.talk)")
    #expect(other.talk.contains("Another program is syncing the store") && other.talk.contains("Hint:  "))
    #expect(try bench.run("trendyd", ["hub", "init", "--data", bench.store("second"), "-q"]).status == 0)
    let both = try bench.shell(
      "timeout 60 trendyd run --role both --listen 127.0.0.1:0 --data '\(bench.store("second"))' --store '\(bench.store())'"
    )
    #expect(both.status == 75, "\(both.talk)")
  }

  @Test func `a hub whose disk is missing logs the failure under the id of the request`() throws {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    #expect(try bench.trendy("connect", hub.url, hub.code()).status == 0)
    try bench.trendy("log", "coffee", "-n", "while it was away")
    try FileManager.default.moveItem(atPath: hub.data, toPath: hub.data + "-away")
    let refused = try bench.trendy("sync", "--json")
    #expect(refused.status == 75, "\(refused.talk)")
    let id = try #require(refused.talk.firstMatch(of: /500, request ([0-9a-f]+)/)?.output.1)
    let line = try eventually { hub.log.split(separator: "\n").first { $0.contains(id) } }
    #expect(line?.contains(#""status":500"#) == true && line?.contains(#""failure":""#) == true, "\(hub.log)")
    try FileManager.default.moveItem(atPath: hub.data + "-away", toPath: hub.data)
    #expect(try bench.trendy("sync").status == 0)
    #expect(try bench.trendy("list", "--plain").output.split(separator: "\n").count == 2)
  }

  @Test func `a revoked device is given the command to reconnect`() throws {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    #expect(try bench.trendy("connect", hub.url, hub.code()).status == 0)
    let account = URL(filePath: bench.store()).appending(path: "account.json")
    let text = try String(contentsOf: account, encoding: .utf8)
    try text.replacing(/"token":"[^"]*"/, with: #""token":"no-such-token""#).write(
      to: account, atomically: true, encoding: .utf8)
    let refused = try bench.trendy("sync")
    #expect(refused.status == 77)
    #expect(refused.talk.contains("trendy connect \(hub.url) CODE"), "\(refused.talk)")
    try expectKept()
  }

  @Test func `a sync by the agent reports the same errors as a sync by the command`() throws {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    #expect(try bench.trendy("connect", hub.url, hub.code()).status == 0)
    let agent = try Running(bench, "trendyd", ["run", "--store", bench.store()])
    defer { agent.kill() }
    #expect(try eventually { agent.text.contains("syncs with") ? true : nil } == true)
    let devices = try bench.run("trendyd", ["token", "list", "--data", hub.data, "--json"])
    let id = try #require(devices.document["tokens"]?.arrayValue?.first?["id"]?.stringValue)
    #expect(try bench.run("trendyd", ["token", "revoke", id, "--data", hub.data]).status == 0)
    let refused = try bench.trendy("sync")
    #expect(refused.status == 77 && refused.talk.contains("trendy connect \(hub.url) CODE"), "\(refused.talk)")
    hub.kill()
    let unreachable = try bench.trendy("sync")
    #expect(unreachable.status == 69 && unreachable.talk.contains("\nHint:  No data was lost"), "\(unreachable.talk)")
  }
}
