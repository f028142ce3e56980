import Foundation
import Testing
import TrendyModels

#if canImport(Glibc)
  import Glibc
#endif

@Suite("Configuration of trendyd", .waitsForPrograms, .timeLimit(.minutes(10)))
struct ReloadTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
  }

  private var path: String { bench.folder.appending(path: ".config/trendy/config").path }

  private func write(_ text: String) throws {
    try FileManager.default.createDirectory(
      at: bench.folder.appending(path: ".config/trendy"), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  private func reload(_ words: String...) throws -> Workbench.Result {
    try bench.run("trendyd", ["reload", "--store", bench.store(), "--data", bench.store("hub")] + words)
  }

  @Test(
    "an invalid setting is reported with file, line and suggestion",
    arguments: [
      ("role = bth\n", ":1: The value 'bth' is invalid for 'role'", "Did you mean 'both'?"),
      ("\npol = 1m\n", ":2: Setting 'pol' not found", "Did you mean 'poll'?"),
      ("limit = connections=4 conections=5\n", ":1: The value 'conections=5' is invalid for 'limit'", "'connections'"),
      ("\n\nproxy = 10.0.0.0/99\n", ":3: The value '10.0.0.0/99' is invalid for 'proxy'", "Use an address"),
      ("nmea = /dev/x@17\n", ":1: The value '/dev/x@17' is invalid for 'nmea'", "Use one of the baud rates"),
    ])
  func checks(text: String, message: String, hint: String) throws {
    try write(text)
    // An unknown setting does not prevent the daemon from running.
    for words in message.contains("not found")
      ? [["check-config"]] : [["check-config"], ["run", "--store", bench.store()]]
    {
      let result = try bench.run("trendyd", words)
      #expect(
        result.status == 78 && result.talk.contains(path + message) && result.talk.contains(hint), "\(result.talk)")
    }
    try write("poll = 1m\n")
    #expect(try bench.trendyd("check-config").output == "\(path) is valid.\n")
  }

  @Test func `an agent applies changed settings and lists those that need a restart`() throws {
    try write("poll = 1m\n")
    let agent = try Running(bench, "trendyd", ["run", "--store", bench.store()])
    defer { agent.stop() }
    #expect(try eventually { try reload().status == 0 ? true : nil } == true)
    try write("poll = 2m\nunits = imperial\ngpsd = localhost\n")
    #expect(
      try reload().output
        == "Configuration reloaded: poll, units changed; gpsd will change after a restart.\n")
    #expect(try reload("--json").document == ["schema": "trendyd.reload/1", "changed": [], "waiting": ["gpsd"]])
    try write("poll = 2m\nunits = imperal\n")
    let refused = try reload()
    #expect(
      refused.status == 78 && refused.talk.contains("the previous one stays active: \(path):2: "), "\(refused.talk)")
    // The previous configuration is still in effect, so correcting the file changes no setting.
    try write("poll = 2m\nunits = imperial\n")
    #expect(try reload().output == "Configuration reloaded: no changes.\n")
  }

  @Test func `an option overrides the file after a reload`() throws {
    try write("poll = 1m\n")
    let agent = try Running(bench, "trendyd", ["run", "--store", bench.store(), "--poll", "3m"])
    defer { agent.stop() }
    #expect(try eventually { try reload().status == 0 ? true : nil } == true)
    try write("poll = 2m\n")
    #expect(try reload().output == "Configuration reloaded: no changes.\n")
  }

  @Test func `a hub reloads its configuration on SIGHUP, and keeps the old one if the new one is invalid`() throws {
    try write("role = hub\nlisten = 127.0.0.1:0\nhub_data = \(bench.store("hub"))\n")
    try #require(bench.trendyd("hub", "init").status == 0)
    let hub = try Running(bench, "trendyd", ["run"])
    defer { hub.stop() }
    #expect(try eventually { try reload().status == 0 ? true : nil } == true)
    try write("role = hub\nlisten = nowhere\nhub_data = \(bench.store("hub"))\n")
    kill(hub.process.processIdentifier, SIGHUP)
    let isTold = try eventually { hub.text.contains("the previous one stays active: \(path):2: ") ? true : nil }
    #expect(isTold == true, "\(hub.text)")
    let url = try #require(hub.text.firstMatch(of: /curl (http[^ \n]*)/)?.1)
    #expect(try bench.shell("curl -sf '\(url)'").status == 0)
    hub.stop()
    #expect(hub.process.terminationStatus == 0)
    #expect(try reload().status == 69)
  }

  @Test func `a later start of the day applies to a running agent immediately`() throws {
    let agent = try Running(bench, "trendyd", ["run", "--store", bench.store()])
    defer { agent.stop() }
    func day() throws -> String? {
      let status = try bench.run("trendyd", ["status", "--store", bench.store(), "--json"])
      return try? status.document.objectValue?["today"]?.objectValue?["day"]?.stringValue
    }
    let today = try #require(try eventually { try day() })
    // Until the configured start of the day, today's date is still yesterday's. The setting has a precision of one
    // minute, so the day may start up to a minute less than `ahead` minutes from now.
    let ahead = 5
    let fields = LocalTime(isUTC: true).components(of: Date(timeIntervalSinceNow: Double(ahead) * 60))
    let before = Date(timeIntervalSinceNow: -86_400)
    let wanted = String(RFC3339.string(from: before).prefix(10))
    try #require(wanted < today)
    let clock =
      fields.hour == 0 && fields.minute <= ahead
      ? nil : "\(fields.hour):\(fields.minute < 10 ? "0" : "")\(fields.minute)"
    // The test is not possible if the start of the day would be after midnight.
    guard let clock else { return }
    try bench.trendy("config", "set", "day_starts_at", clock)
    #expect(try eventually { try day() == wanted ? true : nil } == true)
  }
}
