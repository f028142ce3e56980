import Foundation
import Testing
import TrendyModels

/// Tests help, the command reference, manual pages and completion.
@Suite("Help", .waitsForPrograms, .timeLimit(.minutes(10)))
struct HelpTests {
  private let bench: Workbench

  init() throws { bench = try Workbench() }

  @Test("help lists every command with a summary, within 80 columns", arguments: ["trendy", "trendyd"])
  func fits(program: String) throws {
    let lines = try bench.run(program, ["help"]).output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.filter { $0.count > 80 }.isEmpty)
    let document = try bench.run(program, ["help", "--json"]).document.objectValue
    let groups = (document?["groups"]?.arrayValue ?? []).compactMap { $0.objectValue?["commands"]?.arrayValue }
    for name in groups.joined().compactMap({ $0.objectValue?["name"]?.stringValue }) {
      #expect(lines.contains { $0.hasPrefix("  \(name)  ") }, "\(name)")
    }
  }

  @Test("every command has examples, and its option table accepts them", arguments: ["trendy", "trendyd"])
  func examples(program: String) throws {
    let document = try bench.run(program, ["help", "--json"]).document.objectValue
    #expect(document?["schema"] == .string("\(program).help/1"))
    let groups = (document?["groups"]?.arrayValue ?? []).compactMap { $0.objectValue?["commands"]?.arrayValue }
    let commands = groups.joined().compactMap(\.objectValue)
    #expect(commands.count >= 12)
    for command in commands {
      let name = try #require(command["name"]?.stringValue)
      let examples = (command["examples"]?.arrayValue ?? []).compactMap(\.stringValue)
      #expect(!examples.isEmpty, "\(name)")
      for example in examples {
        // The shell parses the example as if the user had pasted it. With `--help`, the program parses the options but
        // does not run the command.
        let result = try bench.shell("\(Workbench.path(program)) \(example) --help")
        #expect(result.status == 0 && result.output.contains("Usage: \(program) \(name)"), "\(example): \(result.talk)")
      }
    }
  }

  /// Each row must have as many cells as there are declared columns. Event rows may end with any number of properties.
  @Test func `the help lists as many columns for --plain as the output has`() throws {
    for words in [
      ["init"], ["log", "coffee"], ["place", "add", "Home", "52.0,4.0"], ["vehicle", "add", "Van"],
      ["trip", "add", "12km", "--from", "2025-11-20 8:00", "--for", "20m"], ["start", "workout"],
      ["trip", "rule", "add", "work", "business", "--days", "weekdays"], ["track", "add", Samples.drive.path],
      ["skip", "coffee"],
    ] {
      let result = try bench.run("trendy", words + ["--store", bench.store()])
      #expect(result.status == 0, "\(words): \(result.talk)")
    }
    for command in [
      "list", "today", "show @1", "trip list", "trip show @1", "trip report --month 2025", "type list",
      "type show coffee",
      "place list",
      "place show Home", "vehicle list", "sync status", "trip rule list", "track list",
      "skip",
    ] {
      let words = command.split(separator: " ").map(String.init)
      let help = try bench.run("trendy", words + ["--help"]).output
      let start = try #require(help.firstRange(of: "Columns of --plain: "), "\(command): \(help)")
      let end = try #require(help.firstRange(of: "\nGlobal options"), "\(command): \(help)")
      let columns = help[start.upperBound..<end.lowerBound].replacing("\n  ", with: " ").split(separator: ", ")
      let rows = try bench.run("trendy", words + ["--plain", "--store", bench.store()]).output.split(separator: "\n")
      #expect(!rows.isEmpty, "\(command)")
      for row in rows {
        let cells = row.split(separator: "\t", omittingEmptySubsequences: false).count
        #expect(
          columns.last?.hasPrefix("key=") == true ? cells >= columns.count - 1 : cells == columns.count,
          "\(command): \(row)")
      }
    }
  }

  @Test func `the reference page matches the output of the programs`() throws {
    let page = Samples.repository.appending(path: "docs/commands.md")
    let parts = try ["trendy", "trendyd"].map { try bench.run($0, ["help", "--markdown"]).output }
    let expected = "# Commands\n\n" + parts.joined(separator: "\n")
    #expect(try String(contentsOf: page, encoding: .utf8) == expected, "write it anew: make reference")
  }

  @Test func `an option of another command is rejected by name`() throws {
    let result = try bench.trendyd("user", "list", "--role", "hub")
    #expect(result.status == 64 && result.talk.contains("Unknown option '--role'"))
    #expect(try bench.trendyd("user", "add").talk.contains("Missing name"))
  }

  @Test func `bash completes existing commands, types and properties`() throws {
    _ = try bench.trendy("init")
    /// Returns the candidates for a line. Sets the same completion variables as bash: the words as an array, and the
    /// line as typed.
    func offered(_ line: String) throws -> [String] {
      let script = """
        export TRENDY_STORE=\(bench.store())
        source <(\(Workbench.path("trendy")) completions print bash)
        COMP_LINE="\(line)"; COMP_POINT=${#COMP_LINE}
        read -ra COMP_WORDS <<< "$COMP_LINE"; [[ $COMP_LINE == *' ' ]] && COMP_WORDS+=('')
        COMP_WORDS[0]=\(Workbench.path("trendy")); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _trendy; printf '%s\\n' "${COMPREPLY[@]}"
        """
      return try bench.shell("bash -c '\(script.replacing("'", with: "'\\''"))'").output
        .split(separator: "\n").map(String.init)
    }
    #expect(try offered("trendy und") == ["undo"])
    #expect(try offered("trendy log cof") == ["coffee"])
    #expect(try offered("trendy trip ").contains("merge"))
    #expect(try offered("trendy log coffee --not") == ["--note"])
    let properties = try offered("trendy log coffee ")
    #expect(!properties.isEmpty && properties.allSatisfy { $0.contains("=") }, "\(properties)")
    #expect(try offered("trendy words").isEmpty, "what is for programs is not offered")
  }

  @Test(
    "the manual page is valid for groff and mandoc",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/groff")), arguments: ["trendy", "trendyd"])
  func manual(program: String) throws {
    let page = try bench.run(program, ["help", "--manual"]).output
    #expect(page.hasPrefix(".TH \(program.uppercased()) 1"))
    let file = bench.folder.appending(path: "\(program).1")
    try page.write(to: file, atomically: true, encoding: .utf8)
    let result = try bench.shell("groff -Kutf8 -man -Tutf8 -ww -z \(file.path)")
    #expect(result.status == 0 && result.talk.isEmpty, "\(result.talk)")
    // Also test mandoc, another formatter for manual pages, if it is installed.
    if FileManager.default.isExecutableFile(atPath: "/usr/bin/mandoc") {
      let lint = try bench.shell("mandoc -T lint -W warning \(file.path)")
      #expect(lint.status == 0 && lint.output.isEmpty, "\(lint.output)")
    }
  }
}
