import Foundation
import Testing
import TrendyModels

@Suite("Edges of the command line", .waitsForPrograms, .timeLimit(.minutes(10)))
struct EdgeTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
  }

  private func trendy(_ words: [String]) throws -> Workbench.Result {
    try bench.run("trendy", ["--store", bench.store()] + words)
  }

  @Test(
    "names that a command line reads as something else are refused",
    arguments: ["-", "--help", " tea", "tea ", "te\u{1}a", "te\na", ""])
  func names(name: String) throws {
    for words in [
      ["type", "add", "--", name], ["place", "add", "--", name, "52.1,4.3"], ["vehicle", "add", "--", name],
      ["type", "edit", "coffee", "--name=\(name)"],
    ] {
      let refused = try trendy(words)
      #expect(refused.status == 64 && refused.talk.contains("Hint:"), "\(words): \(refused.talk)")
    }
  }

  @Test func `a beginning of a type's name needs a confirmation once`() throws {
    let refused = try trendy(["log", "Work"])
    #expect(
      refused.status == 66 && refused.talk.contains("'Work' is only the beginning of 'workout'"), "\(refused.talk)")
    #expect(refused.talk.contains("trendy log workout") && refused.talk.contains("trendy log Work --create"))
    #expect(try trendy(["start", "Work"]).status == 66)
    let lines = try bench.shell("echo Work | trendy log - --store '\(bench.store())'")
    #expect(lines.status == 65 && lines.talk.contains("only the beginning"), "\(lines.talk)")
    #expect(try trendy(["list", "--plain"]).output.isEmpty)
    #expect(try trendy(["log", "Work", "--yes"]).output.contains("workout"))
    for words in [["log", "work"], ["start", "WORK"]] {
      #expect(try trendy(words).output.contains("workout"), "\(words)")
    }
    #expect(try trendy(["log", "wor"]).status == 66)
    // A type with exactly this name takes precedence over abbreviations.
    #expect(try trendy(["log", "Work", "--create"]).output.hasPrefix("Work "))
    #expect(try trendy(["log", "work"]).output.hasPrefix("Work "))
  }

  @Test func `an unknown property is suggested, or created with its kind`() throws {
    try bench.trendy("type", "prop", "add", "coffee", "size", "--kind", "text")
    #expect(try trendy(["log", "coffee", "siz=large"]).talk.contains("Did you mean 'size'?"))
    let made = try trendy(["log", "walk", "--create", "steps=5000", "took=45m", "wet=yes", "with=Ada"])
    #expect(made.status == 0, "\(made.talk)")
    let shown = try bench.trendy("type", "show", "walk", "--json").output
    for (key, kind) in [("steps", "number"), ("took", "duration"), ("wet", "boolean"), ("with", "text")] {
      #expect(shown.contains("\"\(key)\"") && shown.contains("\"\(kind)\""), "\(key): \(shown)")
    }
    #expect(try trendy(["undo"]).status == 0)
    #expect(try trendy(["type", "show", "walk"]).status == 66)
  }

  @Test func `files are written through symbolic links`() throws {
    try bench.trendy("log", "coffee")
    let (file, link, dangling) = (bench.store("file"), bench.store("link"), bench.store("dangling"))
    try Data("old".utf8).write(to: URL(filePath: file))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "file")
    try FileManager.default.createSymbolicLink(atPath: dangling, withDestinationPath: "new")
    for words in [["backup", link, "--yes"], ["export", "csv", link, "--yes"], ["backup", dangling]] {
      let written = try trendy(words)
      #expect(written.status == 0, "\(words): \(written.talk)")
    }
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "file")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: dangling) == "new")
    #expect(FileManager.default.fileExists(atPath: bench.store("new")))
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("coffee"))
  }

  @Test func `a missing entity is named with a remedy`() throws {
    let missing = try trendy(["restore", "/nonexistent"])
    #expect(missing.status == 66 && missing.talk.contains("File /nonexistent not found"), "\(missing.talk)")
    #expect(!missing.talk.contains("Nothing was saved"))
    #expect(try bench.trendyd("service", "print").talk.contains("trendy-hub.service, "))
  }

  @Test(
    "a path that cannot be written is named with the reason",
    arguments: ["file/in/a/file", "missing/folder/file", "/sys/kernel/trendy"])
  func paths(path: String) throws {
    try Data("x".utf8).write(to: URL(filePath: bench.store("file")))
    let path = path.hasPrefix("/") ? path : bench.store(path)
    for words in [
      ["backup", path], ["export", "csv", path], ["export", "report", path], ["export", "mileage", path],
    ] {
      let result = try bench.run("trendy", ["--store", bench.store()] + words)
      check(result, words, path)
    }
    for (variable, words) in [
      ("XDG_DATA_HOME", ["completions", "install", "bash"]), ("XDG_CONFIG_HOME", ["config", "set", "list_limit", "3"]),
    ] {
      check(
        try bench.run("trendy", ["--store", bench.store()] + words, environment: [variable: path]), words, path)
    }
    let (new, hub) = (["init", "--store", path + "/x"], ["hub", "init", "--data", path + "/hub"])
    check(try bench.run("trendy", new), new, path)
    check(try bench.run("trendyd", hub), hub, path)
  }

  /// Checks the result for an unusual path. The command may create missing folders. If the command fails, the error
  /// must contain the path and the reason.
  private func check(_ result: Workbench.Result, _ words: [String], _ path: String) {
    if result.status == 0, path.contains("missing") { return }
    #expect([66, 73, 74].contains(result.status), "\(words): \(result.status) \(result.talk)")
    let names = path.split(separator: "/").suffix(3)
    #expect(names.contains { result.talk.contains($0) }, "\(words): \(result.talk)")
    for raw in ["CocoaError", "NSFilePath", "POSIXError", "Error Domain", "This is a bug"] {
      #expect(!result.talk.contains(raw), "\(words): \(result.talk)")
    }
  }

  @Test func `a start value and one reading are enough to check an odometer`() throws {
    try bench.trendy("vehicle", "add", "Van", "--start-odometer", "1000km")
    try bench.trendy("vehicle", "odometer", "log", "Van", "1100km")
    let checked = try trendy(["vehicle", "odometer", "check", "Van"])
    #expect(checked.status == 1 && checked.output.contains("odometer 100"), "\(checked.output) \(checked.talk)")
  }

  @Test func `an event can become an all-day event, and a time again`() throws {
    try bench.trendy("log", "coffee", "--at", "2026-11-19 8:30")
    #expect(try bench.trendy("edit", "@1", "--all-day").output.contains("Thu 19 Nov"))
    #expect(try bench.trendy("edit", "@1", "--all-day").talk.contains("Nothing to change"))
    let timed = try bench.trendy("edit", "@1", "--clear", "all-day", "--at", "9:00", "--json")
    #expect(
      timed.output.contains("2026-11-19T09:00:00Z") && timed.output.contains("\"is_all_day\":false"), "\(timed.output)")
  }

  @Test func `a new place can name past events inside it`() throws {
    try bench.trendy("log", "coffee", "--position", "52.1,4.3")
    try bench.trendy("log", "coffee", "--position", "52.2,4.3")
    let added = try bench.trendy("place", "add", "Cafe", "52.1,4.3", "--relabel")
    #expect(added.output.contains("Assigned the place to 1 event."), "\(added.output) \(added.talk)")
    #expect(try bench.trendy("list", "--place", "Cafe", "--plain").output.split(separator: "\n").count == 1)
  }
}
