import Foundation
import Testing
import TrendyModels

/// What tests of pictures share: a record that is logged line by line, and what a command shows of it on 20 November 2024.
extension Workbench {
  /// Logs events from lines as `trendy log -` takes them.
  func log(_ lines: [String]) throws {
    let file = folder.appending(path: "lines")
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
    let made = try shell("trendy log - --store '\(store())' < '\(file.path)'")
    try #require(made.status == 0, "\(made.output)\(made.talk)")
  }

  /// What a command prints in a terminal of a width.
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
