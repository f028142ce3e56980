import Foundation
import Testing
import TrendyModels

@Suite("trendy config", .waitsForPrograms, .timeLimit(.minutes(10)))
struct ConfigTests {
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

  /// Returns the value of a setting and the kind of its origin.
  private func setting(_ key: String, _ environment: [String: String] = [:]) throws -> [String] {
    let result = try bench.trendy("config", "get", key, "--plain", environment: environment)
    return result.output.split(separator: "\t", omittingEmptySubsequences: false).dropFirst().prefix(2).map(String.init)
  }

  @Test func `a value is set, shown with its origin and removed, and comments are preserved`() throws {
    try write("# few\nlist_limit = 7 # lines\n")
    #expect(try setting("list_limit") == ["7", "file"])
    #expect(try bench.trendy("config", "set", "list_limit", "8").output == "list_limit = 8 (\(path):2)\n")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "# few\nlist_limit = 8 # lines\n")
    #expect(try setting("list_limit", ["TRENDY_LIST_LIMIT": "9"]) == ["9", "environment"])
    try bench.trendy("config", "unset", "list_limit")
    #expect(try setting("list_limit") == ["50", "default"])
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "# few\n")
  }

  @Test func `an invalid file is reported with its line by every command that reads it, and can be corrected`() throws {
    try write("list_limt = 7\n")
    let list = try bench.trendy("config", "list")
    #expect(list.status == 78 && list.output.contains("list_limit") && list.talk.contains("config:1"))
    #expect(try bench.trendy("config", "path").output == "\(path)\n")
    #expect(try bench.trendy("help").status == 0)
    let edited = try bench.trendy("config", "edit", environment: ["EDITOR": "sed -i s/limt/limit/"])
    #expect(edited.status == 0, "\(edited.talk)")
    #expect(try setting("list_limit") == ["7", "file"])
    let broken = try bench.trendy("config", "edit", environment: ["EDITOR": "x", "VISUAL": "sed -i s/7/x/"])
    #expect(broken.status == 78 && broken.talk.contains("config:1: The value 'x' is invalid for 'list_limit'"))
  }

  @Test func `unknown keys and invalid values are warnings, all at once, and the default applies`() throws {
    try write("list_limt = 7\nunits = furlongs\nlist_limit = 1\nlist_limit = 2\nnonsense\n")
    let log = try bench.trendy("log", "coffee", environment: ["TRENDY_HOURS": "13"])
    #expect(log.status == 0)
    #expect(
      log.talk == """
        Warning: \(path):1: Setting 'list_limt' not found. Did you mean 'list_limit'?
        Warning: \(path):2: The value 'furlongs' is invalid for 'units'. Use metric or imperial.
        Warning: \(path):4: 'list_limit' is set twice, first on line 3.
        Warning: \(path):5: 'nonsense' is not in the form 'key = value'. Use lines such as: list_limit = 20
        Warning: TRENDY_HOURS: The value '13' is invalid for 'hours'. Did you mean '12'? Use 12 or 24.

        """)
    let list = try bench.trendy("list", "--json")
    #expect(list.status == 0 && list.talk.split(separator: "\n").count == 4 && (try? list.document) != nil)
    #expect(try bench.trendy("-q", "list").talk.isEmpty)
    #expect(try setting("units") == ["metric", "default"])
  }

  @Test(
    "a setting that decides where data is stored or sent stops every command, with all errors",
    arguments: [
      ("store = here\n", "The value 'here' is invalid for 'store'"), ("sotre = /mnt/x\n", "Setting 'sotre' not found"),
      ("store: /mnt/x\n", "is not in the form 'key = value'"), ("store = /a\nstore = /b\n", "'store' is set twice"),
      ("export_to = \n", "invalid for 'export_to'"), ("exprot_to = /mnt/x\n", "Setting 'exprot_to' not found"),
    ])
  func stops(text: String, message: String) throws {
    try write("units = furlongs\n" + text + "listn = 0.0.0.0:1\n")
    let log = try bench.trendy("log", "coffee")
    #expect(log.status == 78 && log.output.isEmpty)
    #expect(
      log.talk.contains(message) && log.talk.contains("Setting 'listn' not found. Did you mean 'listen'?"),
      "\(log.talk)")
    #expect(log.talk.contains("Warning: \(path):1: "), "\(log.talk)")
    try write("")
    #expect(try bench.trendy("list", "--plain").output.isEmpty)
  }

  @Test func `without an editor and a terminal the file is not edited`() throws {
    let refused = try bench.trendy("config", "edit")
    #expect(refused.status == 78 && refused.talk.contains("neither VISUAL nor EDITOR is set"), "\(refused.talk)")
    #expect(refused.talk.contains("trendy config set KEY VALUE"))
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `unknown keys and values are rejected before anything is written`() throws {
    for words in [["list_limt", "7"], ["list_limit", "-1"], ["hours", "13"], ["store", "here"]] {
      let result = try bench.run("trendy", ["config", "set"] + words + ["--store", bench.store()])
      #expect(result.status == 64, "\(words)")
    }
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(try bench.trendy("config", "get", "gpsd").status == 1)
  }

  @Test func `a day begins at the configured time in lists, today and day ranges`() throws {
    try bench.trendy("config", "set", "day_starts_at", "4:00")
    try bench.trendy("log", "coffee", "--at", "2026-11-19 12:00")
    try bench.trendy("log", "coffee", "--at", "2026-11-21 3:59")
    try bench.trendy("log", "mood", "--at", "2026-11-21", "--all-day")
    let list = try bench.trendy("list").output.split(separator: "\n").dropLast()
    #expect(
      list.map { $0.prefix(10) } == [
        "Sat 21 Nov", "  all day ", "Fri 20 Nov", "  03:59  c", "Thu 19 Nov", "  12:00  c",
      ])
    let day = try bench.trendy("list", "--since", "2026-11-20", "--until", "2026-11-20", "--plain").output
    #expect(day.split(separator: "\n").count == 1 && day.contains("2026-11-21T03:59:00"))
    let next = try bench.trendy("list", "--since", "2026-11-21", "--until", "2026-11-21", "--plain").output
    #expect(next.split(separator: "\n").count == 1 && next.contains("2026-11-21T00:00:00"))
    #expect(try bench.trendy("undo", "4").status == 0)
    #expect(try setting("day_starts_at") == ["00:00", "default"])
  }

  @Test func `hours and units apply to displayed times and distances, and to distances without a unit`() throws {
    try bench.trendy("trip", "add", "10", "--from", "2025-11-20 8:30", "--for", "20m")
    #expect(try bench.trendy("trip", "list").output.contains("Thu 20 Nov 2025 08:30–08:50  10.0 km"))
    try bench.trendy("config", "set", "hours", "12")
    try bench.trendy("config", "set", "units", "imperial")
    #expect(try bench.trendy("trip", "list").output.contains("Thu 20 Nov 2025 8:30 am–8:50 am  6.2 mi"))
    try bench.trendy("trip", "add", "10", "--from", "2025-11-20 18:30", "--for", "20m")
    let trips = try bench.trendy("trip", "list", "--plain").output
    #expect(trips.contains("\t16093.4") && trips.contains("\t10000\t"), "\(trips)")
    // If `hours` is not set, the locale determines whether times use 12 or 24 hours.
    try bench.trendy("config", "unset", "hours")
    #expect(try setting("hours", ["LC_TIME": "en_US.UTF-8"]) == ["12", "locale"])
  }

  @Test func `user settings sync to other devices, and machine settings do not`() throws {
    let hub = try TestHub(bench)
    try hub.connect("phone", "laptop")
    // Both devices change the setting before either of them syncs.
    try bench.trendy("config", "set", "day_starts_at", "05:00", store: "laptop")
    try bench.trendy("config", "set", "day_starts_at", "04:00", store: "phone")
    for device in ["laptop", "phone", "laptop"] { try #require(bench.trendy("sync", store: device).status == 0) }
    for device in ["laptop", "phone"] {
      let value = try bench.trendy("config", "get", "day_starts_at", "--plain", store: device).output
      #expect(value.hasPrefix("day_starts_at\t04:00\tsynced"), "\(device): \(value)")
    }
    try bench.trendy("undo", store: "phone")
    for device in ["phone", "laptop"] { try #require(bench.trendy("sync", store: device).status == 0) }
    #expect(try bench.trendy("config", "get", "day_starts_at", store: "laptop").output == "00:00\n")
    try bench.trendy("redo", store: "phone")
    for device in ["phone", "laptop"] { try #require(bench.trendy("sync", store: device).status == 0) }
    #expect(try bench.trendy("config", "get", "day_starts_at", store: "laptop").output == "04:00\n")
  }

  @Test func `the store of the file is used by all programs, and the option overrides it`() throws {
    try write("store = ~/elsewhere\n")
    #expect(try bench.run("trendy", ["init"]).status == 0)
    #expect(FileManager.default.fileExists(atPath: bench.folder.appending(path: "elsewhere/manifest").path))
    #expect(try bench.run("trendy", ["sync"]).talk.contains("not connected"))
    #expect(try bench.trendy("sync", store: "none").talk.contains("/none"))
    #expect(try bench.run("trendyd", ["status"]).talk.contains("/elsewhere"))
  }

  @Test func `a misspelled environment variable is reported by commands that list settings`() throws {
    let strays = ["TRENDY_STOER": "/x", "TRENDY_DATA": "/y", "TRENDY_UNITS": "imperial", "TRENDY_LOG": ""]
    let list = try bench.trendy("config", "list", environment: strays)
    #expect(
      list.talk == """
        Note: Unknown variable TRENDY_DATA. It has no effect.
        Note: Unknown variable TRENDY_STOER. Did you mean TRENDY_STORE?

        """)
    #expect(list.status == 0)
    let check = try bench.run("trendyd", ["check-config"], environment: strays)
    #expect(check.status == 0 && check.talk == list.talk)
  }

  @Test func `verbose output names files, settings, the agent and the duration, and quiet does not suppress it`() throws
  {
    try write("list_limit = 3\n")
    let logged = try bench.trendy("-v", "-q", "log", "coffee", "--json")
    #expect(logged.status == 0 && (try? logged.document) != nil)
    for words in ["Configuration: \(path)", "Store: \(bench.store()) (--store)", "none is running", "'log' took "] {
      #expect(logged.talk.contains(words), "\(logged.talk)")
    }
    #expect(try bench.trendy("-v", "list").talk.contains("Setting: list_limit = 3 (\(path):1)"))
    #expect(try bench.trendy("list").talk.isEmpty)
  }

  @Test func `--no-input never prompts`() throws {
    try bench.trendy("log", "coffee")
    // Runs on a pseudo-terminal, where a prompt would block the command.
    let line = "script -qec 'trendy type rm coffee --no-input --store \(bench.store())' /dev/null"
    let refused = try bench.shell(line)
    #expect(refused.status == 64 && refused.output.contains("Confirm with --yes"), "\(refused.output)")
    #expect(try bench.trendy("type", "show", "coffee").status == 0)
    #expect(try bench.trendy("config", "edit", "--no-input").status == 64)
  }

  @Test func `shells complete keys and values`() throws {
    func words(_ words: String...) throws -> String {
      try bench.run("trendy", ["words", "--store", bench.store(), "--"] + words).output
    }
    #expect(try words("config", "set", "day").hasPrefix("day_starts_at\t"))
    #expect(try words("config", "set", "units", "") == "metric\nimperial\n")
    #expect(try words("config", "set", "store", "") == ":files\n")
  }
}
