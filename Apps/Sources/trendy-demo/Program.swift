import Foundation
import TrendyModels

#if canImport(Glibc)
  import Glibc
#endif

/// A program in the same folder as the demonstration.
struct Program {
  let url: URL

  init(_ name: String) throws {
    url = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: name)
    guard FileManager.default.isExecutableFile(atPath: url.path) else {
      throw DemoError("\(url.path) not found; build it with 'make demo'")
    }
  }

  struct Result {
    let status: Int32
    let output: Data
    let talk: String
  }

  func run(_ arguments: [String]) throws -> Result {
    let process = process(arguments)
    let output = Pipe()
    let talk = Pipe()
    process.standardOutput = output
    process.standardError = talk
    try process.run()
    // The output of each command fits into a pipe buffer, so reading one pipe after the other cannot block the
    // program.
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let words = talk.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Result(status: process.terminationStatus, output: data, talk: String(decoding: words, as: UTF8.self))
  }

  func start(_ arguments: [String], log: URL) throws -> Process {
    let process = process(arguments)
    try Data().write(to: log)
    let handle = try FileHandle(forWritingTo: log)
    process.standardOutput = handle
    process.standardError = handle
    try process.run()
    return process
  }

  private func process(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = url
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    return process
  }
}

struct DemoError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

struct Device {
  let name: String
  let store: URL
  let trendy: Program

  /// Runs a command and returns the JSON document that it prints.
  /// - Throws: ``DemoError`` if the command fails.
  @discardableResult
  func command(_ words: String...) throws -> JSONValue {
    let result = try attempt(words)
    guard result.status == 0 else {
      throw DemoError(
        "'trendy \(words.joined(separator: " "))' on the \(name) ended with \(result.status): \(result.talk)")
    }
    return try WireJSON.decode(JSONValue.self, from: result.output)
  }

  func attempt(_ words: [String]) throws -> Program.Result {
    try trendy.run(words + ["--json", "--utc", "--store", store.path])
  }

  /// Returns all events in list order, without members that differ between devices.
  func timeline() throws -> [JSONValue] {
    let events = try command("list", "--limit", "0")["events"]?.arrayValue ?? []
    return events.map { event in
      var members = event.objectValue ?? [:]
      members["sync_status"] = nil
      return .object(members)
    }
  }
}

extension JSONValue {
  subscript(_ member: String) -> JSONValue? { objectValue?[member] }
}
