import Foundation
import Testing

/// Runs the commands in `docs/tour.md` line by line and compares their output with the page.
///
/// Values that differ in each run, such as ids, codes, ports and current times, are normalized. In the commands, the
/// port is replaced by a free port, and pairing codes by the last printed code.
@Suite("The tour", .waitsForPrograms, .timeLimit(.minutes(10)))
struct TourTests {
  struct Step {
    var command: String
    var expected: String
    var line: Int
  }

  static func steps() throws -> [Step] {
    let page = Samples.repository.appending(path: "docs/tour.md")
    var steps: [Step] = []
    var isConsole = false
    for (index, line) in try String(contentsOf: page, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false
    ).enumerated() {
      if line.hasPrefix("```") {
        isConsole = line == "```console"
      } else if isConsole, line.hasPrefix("$ ") {
        steps.append(Step(command: String(line.dropFirst(2)), expected: "", line: index + 1))
      } else if isConsole, !steps.isEmpty {
        steps[steps.count - 1].expected += line + "\n"
      }
    }
    return steps
  }

  /// Replaces values that differ in each run with placeholders.
  static func outline(_ text: String, _ bench: Workbench, port: Int) -> String {
    text.replacing(bench.folder.path, with: "/home/ada").replacing("\(port)", with: "8787")
      .replacing(/\b[0-9a-f]{8}-[0-9a-f]{4}(-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})?\b/, with: "ID")
      .replacing(/\b[0-9]{4}-[0-9]{4}\b/, with: "CODE")
      .replacing(/[A-Z][a-z]{2} [0-9]{1,2} [A-Z][a-z]{2} [0-9]{2}:[0-9]{2}/, with: "NOW")
      .replacing(/\([0-9]+ bytes\)/, with: "(N bytes)")
      .replacing(/cursor [0-9]+/, with: "cursor N")
      .split(separator: "\n").map { $0.reversed().drop { $0 == " " }.reversed() }.map { String($0) }
      .joined(separator: "\n")
  }

  @Test func `every command of the page prints the output on the page`() throws {
    let bench = try Workbench()
    let samples = bench.folder.appending(path: "Samples")
    try FileManager.default.createSymbolicLink(
      at: samples, withDestinationURL: Samples.drive.deletingLastPathComponent())
    let port = try freePort()
    var running: [Running] = []
    defer { for program in running { program.stop() } }
    var code: String?
    let steps = try Self.steps()
    #expect(steps.count > 20)
    for step in steps {
      var command = step.command.replacing("8787", with: "\(port)")
      if let code { command = command.replacing(/\b[0-9]{4}-[0-9]{4}\b/, with: code) }
      if command.hasSuffix(" &") {
        let words = command.dropLast(2).split(separator: " ").map { String($0) }
        let program = try Running(bench, words[0], Array(words.dropFirst()), in: bench.folder)
        running.append(program)
        try #require(
          try eventually { program.text.contains("\(port)") ? true : nil } == true, "\(step.line): \(program.text)")
        continue
      }
      let result = try bench.shell("cd '\(bench.folder.path)' && \(command) 2>&1")
      let printed = Self.outline(result.output, bench, port: port)
      let expected = Self.outline(step.expected, bench, port: port)
      #expect(printed == expected, "docs/tour.md:\(step.line): \(step.command)\n\(result.output)")
      // Uses the last match, because the folder name may contain similar digits.
      if let found = result.output.matches(of: /\b[0-9]{4}-[0-9]{4}\b/).last { code = String(found.output) }
    }
  }

  private func freePort() throws -> Int {
    let bench = try Workbench()
    let hub = try TestHub(bench)
    defer { hub.stop() }
    return try #require(hub.url.split(separator: ":").last.flatMap { Int($0) })
  }
}
