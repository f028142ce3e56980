import CommandSupport
import Foundation
import Testing

@Suite("Completion")
struct CompletionTests {
  private static let daily = CommandGroup("daily", "Every day.")

  private struct Values: CompletionValues {
    func values(of kind: ValueKind, after arguments: [String]) -> [Candidate] {
      switch kind {
      case .eventType: [Candidate("coffee", "a cup"), Candidate("Cocoa")]
      case .property: arguments == ["coffee"] ? [Candidate("size=small"), Candidate("size=large")] : []
      case .file, .folder: [.files]
      default: []
      }
    }
  }

  private let table = CommandTable(
    program: "p", about: "p does things.",
    commands: [
      CommandSpec(
        "log", .one("type", .eventType, "the type"), .optional("value", .number), .any("key=value", .property),
        summary: "Records.", group: daily,
        examples: [],
        options: [
          OptionSpec("--from", value: "file", kind: .file, help: "where it is"), OptionSpec("--all-day", help: "whole"),
          OptionSpec("--type", value: "type", kind: .eventType, help: "of which"),
          OptionSpec("--tag", value: "word", kind: .text, repetition: .allCount, help: "a word"),
        ]),
      CommandSpec("sync", .word("now"), summary: "Syncs.", group: daily, examples: []),
      CommandSpec("sync conflicts", summary: "Lists.", group: daily, examples: []),
      CommandSpec("words", summary: "For programs.", group: daily, examples: [], isHidden: true),
    ],
    globalOptions: [
      OptionSpec("--json", help: "for scripts"), OptionSpec("--dir", value: "dir", kind: .folder, help: "where"),
    ], notes: [])

  @Test(
    "completion offers the candidates that match the typed prefix",
    arguments: [
      ([""], ["log", "sync"]), (["s"], ["sync"]), (["sync", ""], ["conflicts", "now"]),
      (["log", ""], ["coffee", "Cocoa"]),
      (["log", "cof"], ["coffee"]), (["log", "COC"], ["Cocoa"]),
      (["log", "coffee", ""], ["size=small", "size=large"]),
      (["log", "coffee", "size=l"], ["size=large"]),
      (["log", "--all-day", "coffee", "--json", "size"], ["size=small", "size=large"]),
      (["log", "--type", ""], ["coffee", "Cocoa"]), (["log", "--type", "x", "c"], ["coffee", "Cocoa"]),
      (["log", "--"], ["--from", "--all-day", "--type", "--tag", "--json", "--dir"]),
      (["log", "--all-day", "--a"], []),
      (["log", "--from", ""], [":files"]), (["log", "--from", "/tmp/d"], [":files"]),
      (["log", "--from=/t"], [":files"]),
      (["nothing", ""], []), ([], []),
      (["--json", "lo"], ["log"]), (["--dir", "x", "log", "cof"], ["coffee"]), (["--dir", ""], [":files"]),
      (["log", "--type=co"], ["--type=coffee", "--type=Cocoa"]), (["log", "--type=coffee", "coc"], ["Cocoa"]),
      (["log", "--type", "x", "--ty"], []), (["log", "--tag", "x", "--ta"], ["--tag"]),
      (["log", "--", "coffee", "si"], ["size=small", "size=large"]), (["log", "--", "--"], []),
    ] as [([String], [String])])
  func offered(words: [String], expected: [String]) {
    #expect(table.candidates(for: words, values: Values()).map(\.text) == expected)
  }

  @Test(
    "a line is split as the shell splits it, up to the cursor",
    arguments: [
      ("p log ", ["p", "log", ""], false), ("p log cof", ["p", "log", "cof"], false),
      ("p  log   Bath\\ ti", ["p", "log", "Bath ti"], false), ("p log \"Bath ti", ["p", "log", "Bath ti"], true),
      ("p log 'It\"s' x", ["p", "log", "It\"s", "x"], false), ("p 'a\\b", ["p", "a\\b"], true),
      ("p \"a\\\"b\\c\" ", ["p", "a\"b\\c", ""], false), ("p \"\" x", ["p", "", "x"], false), ("", [""], false),
    ])
  func lines(line: String, words: [String], isQuoted: Bool) {
    #expect(ShellLine(line).words == words && ShellLine(line).isQuoted == isQuoted)
  }

  @Test func `completion for bash drops the text up to the last word break`() {
    let candidates = [Candidate("kind=a:b"), Candidate("kind=a c")]
    func texts(_ line: String, _ breaks: String) -> [String] {
      ShellLine(line).completing(candidates, breaks: breaks).map(\.text)
    }
    #expect(texts("p kind=", "=:") == ["a:b", "a c"])
    #expect(texts("p kind=a", "=:") == ["a:b", "a c"])
    #expect(texts("p kind=a:", "=:") == ["b", "c"])
    #expect(texts("p kind=a", ":") == ["kind=a:b", "kind=a c"])
    #expect(texts("p \"kind=a", "=:") == ["kind=a:b", "kind=a c"], "quotes keep a word together")
  }

  @Test func `a manual page contains the help and no text that roff would interpret`() {
    let manual = table.manual
    #expect(manual.hasPrefix(".TH P 1 "))
    #expect(
      manual.contains("\\fB\\-\\-all\\-day\\fR")
        && manual.contains("p log <type> [<value>] [<key=value> ...] [options]"))
    #expect(!manual.contains("For programs."))
    for line in manual.split(separator: "\n") where line.hasPrefix(".") {
      #expect(
        ["TH", "SH", "SS", "TP", "PP", "nf", "fi", "RS", "RE", "B", "I"].contains { line.dropFirst().hasPrefix($0) })
    }
  }
}
