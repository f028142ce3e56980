import Foundation
import Testing
import TrendyModels

/// Helpers for tests of charts and reports, which log events line by line and run commands as of 20 November 2024.
extension Workbench {
  /// Logs events from lines in the syntax of `trendy log -`.
  func log(_ lines: [String]) throws {
    let file = folder.appending(path: "lines")
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
    let made = try shell("trendy log - --store '\(store())' < '\(file.path)'")
    try #require(made.status == 0, "\(made.output)\(made.talk)")
  }

  /// Returns the output of a command on a terminal of the given width.
  func shown(_ line: String, width: Int, locale: String = "C.UTF-8") throws -> String {
    let words = line.split(separator: " ").map(String.init) + ["--until", "2024-11-20", "--store", store()]
    let result = try run("trendy", words, environment: ["COLUMNS": "\(width)", "LANG": locale])
    #expect(result.status == 0, "\(line): \(result.talk)")
    return result.output
  }

  func document(_ line: String) throws -> JSONValue {
    let words = line.split(separator: " ").map(String.init) + ["--until", "2024-11-20", "--store", store()]
    return try run("trendy", words + ["--json"]).document
  }
}
