import Foundation
import Testing

/// Runs the shell commands of README as a reader would, in the order of the page.
@Suite("README", .waitsForPrograms, .timeLimit(.minutes(10)))
struct ReadmeTests {
  private static let root = Samples.repository

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// Commands of the blocks marked `sh`, without comments.
  private static func commands() throws -> [String] {
    try text("README.md").components(separatedBy: "```sh\n").dropFirst()
      .flatMap { $0.components(separatedBy: "```")[0].split(separator: "\n") }
      .map { $0.components(separatedBy: " #")[0].trimmingCharacters(in: .whitespaces) }
  }

  /// Commands within sentences and tables.
  private static func inlineCommands() throws -> [String] {
    try text("README.md").matches(of: /`((?:trendy|trendyd|make) [^`]+)`/).map { String($0.1) }
  }

  @Test func `every command of the code blocks works in a new environment`() throws {
    let bench = try Workbench()
    try FileManager.default.createSymbolicLink(
      at: bench.folder.appending(path: "Samples"), withDestinationURL: Self.root.appending(path: "Samples"))
    let commands = try Self.commands().filter { !$0.hasPrefix("make ") }
    try #require(commands.count >= 15)
    var running: [Running] = []
    defer { for program in running { program.stop() } }
    // A free port replaces the one on the page, and the printed pairing code replaces the sample.
    let port = try freePort()
    var code: String?
    for command in commands {
      var line = command.replacing("8787", with: port)
      if let code { line = line.replacing(/\b[0-9]{4}-[0-9]{4}\b/, with: code) }
      if line.hasPrefix("trendyd hub init") { line += " --listen 127.0.0.1:\(port)" }
      if line.hasPrefix("trendyd run") {
        running.append(try Running(bench, "trendyd", line.split(separator: " ").dropFirst().map { String($0) }))
        // `trendyd` reports that it is ready on its first line.
        let program = running[running.count - 1]
        try #require(
          eventually { program.text.contains("\n") || !program.process.isRunning ? true : nil } == true
            && program.process.isRunning, "\(line): \(program.text)")
        continue
      }
      let result = try bench.shell("cd '\(bench.folder.path)' && \(line)")
      #expect(result.status == 0, "\(line): \(result.output)\(result.talk)")
      if line == "trendy import Samples/drive.gpx" { #expect(try trips(bench) == 1) }
      if line == "trendy undo" { #expect(try trips(bench) == 0) }
      if let found = (result.output + result.talk).matches(of: /\b[0-9]{4}-[0-9]{4}\b/).last {
        code = String(found.output)
      }
    }
  }

  @Test func `every command within a sentence exists`() throws {
    let bench = try Workbench()
    let makefile = try Self.text("Makefile")
    let phony = try #require(makefile.split(separator: "\n").first { $0.hasPrefix(".PHONY:") })
    let targets = Set(phony.split(separator: " ").map { String($0) })
    for command in try Self.commands() + Self.inlineCommands() {
      let words = command.split(separator: " ").map { String($0) }
      if words[0] == "make" {
        // Targets of single packages are computed: test-TrendySync.
        let package = words[1].replacing("test-", with: "Packages/")
        let isPackage = FileManager.default.fileExists(atPath: Self.root.appending(path: package).path)
        #expect(targets.contains(words[1]) || isPackage, "\(command)")
      } else {
        let names = words.dropFirst().prefix { $0.wholeMatch(of: /[a-z]+/) != nil }
        // Arguments follow the command's name: the longest prefix that is a command counts.
        let isCommand = try names.indices.reversed().contains { last in
          try bench.run(words[0], ["help"] + names[...last]).status == 0
        }
        #expect(isCommand || names.isEmpty, "\(command)")
      }
    }
  }

  private func trips(_ bench: Workbench) throws -> Int {
    try bench.shell("trendy trip list --plain").output.split(separator: "\n").count
  }

  private func freePort() throws -> String {
    let hub = try TestHub(Workbench())
    defer { hub.stop() }
    return hub.port
  }
}
