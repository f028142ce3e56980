import Foundation
import Testing
import TrendyModels

@Suite("trendy export --every", .waitsForPrograms, .timeLimit(.minutes(10)))
struct ExportOrderTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
    try bench.trendy("log", "coffee")
  }

  private var folder: String { bench.folder.appending(path: "exports").path }

  private func makeFolder() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }

  private func setting(_ key: String) throws -> String {
    try bench.trendy("config", "get", key).output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test func `a schedule is stored in the settings, and missing options are reported`() throws {
    for (words, status) in [
      (["ndjson", "--every", "1d"], Int32(64)), (["ndjson", "--every", "1d", "--to", folder], 66),
      (["ndjson", "--keep", "3"], 64), (["ndjson", "--every", "1m", "--to", bench.folder.path], 64),
      (["csv", "--every", "1d", "--to", bench.folder.path, "--type", "coffee"], 64),
      (["mileage", "--to", bench.folder.path], 64), ([], 64),
    ] {
      let result = try bench.run("trendy", ["export"] + words + ["--store", bench.store()])
      #expect(result.status == status, "\(words): \(result.status) \(result.talk)")
    }
    #expect(try bench.trendy("status", "--json").document["exports"] == .null)
    try makeFolder()
    let ordered = try bench.trendy("export", "report", "--every", "7d", "--to", folder, "--keep", "3", "--json")
    #expect(ordered.status == 0 && ordered.talk.contains("The agent is not running"), "\(ordered.talk)")
    #expect(try ordered.document["every_s"] == 604_800)
    #expect(try setting("export_every") == "7d" && setting("export_to") == folder && setting("export_keep") == "3")
    #expect(try setting("export_format") == "report")
    #expect(try bench.trendy("status").output.contains("none yet"))
    // The default format is NDJSON, which contains all data.
    try bench.trendy("export", "--every", "1d", "--to", folder)
    #expect(try setting("export_format") == "ndjson" && setting("export_keep") == "14")
    try bench.trendy("export", "ndjson", "--every", "never")
    #expect(try bench.trendy("config", "get", "export_every").output.contains("7d") == false)
    #expect(try bench.trendy("status", "--json").document["exports"] == .null)
  }

  @Test func `the agent exports at once and then daily, and other files remain`() throws {
    try makeFolder()
    let agent = try Running(bench, "trendyd", ["run", "--store", bench.store()])
    defer { agent.stop() }
    let socket = bench.store() + "/control.sock"
    #expect(try eventually { FileManager.default.fileExists(atPath: socket) ? 1 : nil } != nil, "\(agent.text)")
    let ordered = try bench.trendy("export", "csv", "--every", "1d", "--to", folder)
    #expect(ordered.status == 0 && ordered.talk.isEmpty, "\(ordered.talk)")
    let name = try #require(try eventually { try files().first { $0.hasSuffix(".csv") } }, "\(agent.text)")
    #expect(name.wholeMatch(of: /trendy-\d{4}-\d\d-\d\d\.csv/) != nil)
    let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    #expect(text.contains("coffee") && text.hasSuffix("\r\n"))
    let status = try bench.trendy("status").output
    #expect(status.contains("last \(name), next "), "\(status)")
    #expect(try bench.trendy("doctor", "--local").status == 0)
    // After the format is changed, existing files in the old format are kept.
    try bench.trendy("export", "report", "--every", "1d", "--to", folder)
    _ = try #require(try eventually { try files().first { $0.hasSuffix(".html") } }, "\(agent.text)")
    #expect(try files().contains(name))
  }

  @Test func `a missing export folder is reported by status and doctor, and the agent continues`() throws {
    try makeFolder()
    try bench.trendy("export", "ndjson", "--every", "1d", "--to", folder)
    try FileManager.default.removeItem(atPath: folder)
    let agent = try Running(bench, "trendyd", ["run", "--store", bench.store()])
    defer { agent.stop() }
    #expect(try eventually { agent.text.contains("scheduled export failed") ? 1 : nil } != nil, "\(agent.text)")
    #expect(try bench.trendy("status").output.contains("not found; create it"))
    let checked = try bench.trendy("doctor", "--local")
    #expect(checked.status == 1 && checked.output.contains("not found; create it"), "\(checked.output)")
    // The agent continues to run and responds to requests.
    try makeFolder()
    let answered = try bench.run("trendyd", ["status", "--store", bench.store()])
    #expect(answered.status == 0, "\(answered.talk)")
  }

  @Test func `an obstacle at the file's path is reported and not removed`() throws {
    try makeFolder()
    // A folder with the temporary file's name makes the export fail.
    let day = Date.now.formatted(.iso8601.year().month().day())
    try FileManager.default.createDirectory(
      atPath: "\(folder)/trendy-\(day).ndjson.new", withIntermediateDirectories: true)
    try Data().write(to: URL(filePath: "\(folder)/trendy-\(day).ndjson.new/x"))
    try bench.trendy("export", "ndjson", "--every", "1d", "--to", folder)
    let agent = try Running(bench, "trendyd", ["run", "--store", bench.store()])
    defer { agent.stop() }
    #expect(try eventually { agent.text.contains("scheduled export failed") ? 1 : nil } != nil, "\(agent.text)")
    #expect(try files() == ["trendy-\(day).ndjson.new"])
    let status = try bench.trendy("status").output
    #expect(status.contains("failed") && status.contains("trendy-\(day).ndjson.new"), "\(status)")
  }

  @Test func `every export format can be scheduled`() throws {
    let talk = try bench.trendy("export", "nonsense").talk
    let words = try #require(talk.firstMatch(of: /formats: ([^\n]*)\./)?.output.1).split(separator: ", ")
    #expect(words.count > 8)
    for word in words {
      #expect(try bench.trendy("config", "set", "export_format", String(word)).status == 0, "\(word)")
    }
    #expect(try bench.trendy("config", "set", "export_format", "pdf").status == 64)
  }
}
