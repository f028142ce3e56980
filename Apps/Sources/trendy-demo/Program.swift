import Foundation
import TrendyModels

#if canImport(Glibc)
  import Glibc
#endif

/// One of the shipped programs, beside this one.
struct Program {
  let url: URL

  init(_ name: String) throws {
    url = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: name)
    guard FileManager.default.isExecutableFile(atPath: url.path) else {
      throw DemoError("\(url.path) is not there; 'make demo' builds it")
    }
  }

  struct Result {
    let status: Int32
    let output: Data
    let talk: String
  }

  /// Runs to its end.
  func run(_ arguments: [String]) throws -> Result {
    let process = process(arguments)
    let output = Pipe()
    let talk = Pipe()
    process.standardOutput = output
    process.standardError = talk
    try process.run()
    // What a command says fits a pipe's buffer, so one may be read after the other.
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let words = talk.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Result(status: process.terminationStatus, output: data, talk: String(decoding: words, as: UTF8.self))
  }

  /// Runs until it is told to stop.
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

/// Why the demonstration did not show what it promised.
struct DemoError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// One device: a store of its own, and the command line on it.
struct Device {
  let name: String
  let store: URL
  let trendy: Program

  /// The document that a command prints; its status must be 0.
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

  /// Everything on the timeline but what only this device knows of it, by time.
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
