import Foundation
import Testing

/// Runs the commands in README.md in page order, as a reader would.
@Suite("README", .waitsForPrograms, .timeLimit(.minutes(10)))
struct ReadmeTests {
  private static let root = Samples.repository

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// Returns the commands in code blocks marked `sh`, without comments.
  private static func commands() throws -> [String] {
    try text("README.md").components(separatedBy: "```sh\n").dropFirst()
      .flatMap { $0.components(separatedBy: "```")[0].split(separator: "\n") }
      .map { $0.components(separatedBy: " #")[0].trimmingCharacters(in: .whitespaces) }
  }

  /// Returns the commands that occur in sentences and tables.
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
    // The port and the pairing code in README.md are replaced by a free port and the code printed by `trendyd pair`.
    let port = try freePort()
    var code: String?
    for command in commands {
      var line = command.replacing("8787", with: port)
      if let code { line = line.replacing(/\b[0-9]{4}-[0-9]{4}\b/, with: code) }
      if line.hasPrefix("trendyd hub init") { line += " --listen 127.0.0.1:\(port)" }
      if line.hasPrefix("trendyd run") {
        running.append(try Running(bench, "trendyd", line.split(separator: " ").dropFirst().map { String($0) }))
        // `trendyd` prints its first line when it is ready.
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
        // The Makefile generates the targets for single packages, such as `test-TrendySync`.
        let package = words[1].replacing("test-", with: "Packages/")
        let isPackage = FileManager.default.fileExists(atPath: Self.root.appending(path: package).path)
        #expect(targets.contains(words[1]) || isPackage, "\(command)")
      } else {
        let names = words.dropFirst().prefix { $0.wholeMatch(of: /[a-z]+/) != nil }
        // The words before the arguments are the longest prefix that names a command.
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
