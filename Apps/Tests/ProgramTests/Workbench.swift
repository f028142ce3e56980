import Foundation
import PostgresTesting
import Testing
import TrendyModels

#if canImport(Glibc)
  import Glibc
#endif

/// Test environment: a temporary folder, and the programs as they are shipped, each run as a separate process.
final class Workbench {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "trendy-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }  // if this fails, only a temporary folder remains

  struct Result {
    let status: Int32
    let output: String
    let talk: String

    var document: JSONValue { get throws { try WireJSON.decode(JSONValue.self, from: Data(output.utf8)) } }
    var error: JSONValue {
      get throws { try #require(WireJSON.decode(JSONValue.self, from: Data(talk.utf8)).objectValue?["error"]) }
    }
  }

  /// Folder that contains the programs and the test executable.
  static let programs = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()

  /// Returns the path of one of the project's programs. Returns an absolute path unchanged.
  static func path(_ program: String) -> String {
    program.hasPrefix("/") ? program : programs.appending(path: program).path
  }

  func store(_ name: String = "store") -> String { folder.appending(path: name).path }

  /// Runs `trendy` with a store in this folder.
  @discardableResult
  func trendy(_ words: String..., store: String = "store", environment: [String: String] = [:]) throws -> Result {
    try run("trendy", words + ["--store", self.store(store)], environment: environment)
  }

  @discardableResult
  func trendyd(_ words: String...) throws -> Result { try run("trendyd", words) }

  /// Runs a command line in bash, with the programs in `PATH`.
  func shell(_ line: String) throws -> Result {
    try launch("/bin/bash", ["-c", line], environment: ["PATH": Self.programs.path + ":/usr/bin:/bin"])
  }

  func run(_ program: String, _ words: [String], environment: [String: String] = [:]) throws -> Result {
    try launch(Self.path(program), words, environment: environment)
  }

  private func launch(_ path: String, _ words: [String], environment: [String: String]) throws -> Result {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = words
    process.environment = self.environment(environment)
    process.standardInput = FileHandle.nullDevice
    // Write output to files rather than pipes, so that a program never blocks on a full pipe.
    let output = folder.appending(path: "out-\(UUID().uuidString)")
    let talk = folder.appending(path: "err-\(UUID().uuidString)")
    try Data().write(to: output)
    try Data().write(to: talk)
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: talk)
    try process.run()
    process.waitUntilExit()
    defer {
      try? FileManager.default.removeItem(at: output)  // the whole folder is removed later
      try? FileManager.default.removeItem(at: talk)
    }
    return Result(
      status: process.terminationStatus, output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
      talk: String(decoding: try Data(contentsOf: talk), as: UTF8.self))
  }

  private func environment(_ more: [String: String]) -> [String: String] {
    var environment = ["HOME": folder.path, "TZ": "UTC", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"]
    environment.merge(more) { _, new in new }
    return environment
  }
}

/// A program that runs in the background until it is stopped.
final class Running {
  let process = Process()
  let log: URL

  init(
    _ bench: Workbench, _ program: String, _ words: [String], environment: [String: String] = [:],
    input: FileHandle = .nullDevice, in directory: URL? = nil
  ) throws {
    log = bench.folder.appending(path: "\(program.split(separator: "/").last ?? "")-\(UUID().uuidString).log")
    try Data().write(to: log)
    let handle = try FileHandle(forWritingTo: log)
    process.executableURL = URL(filePath: Workbench.path(program))
    process.arguments = words
    process.environment = ["HOME": bench.folder.path, "TZ": "UTC"].merging(environment) { $1 }
    process.standardInput = input
    if let directory { process.currentDirectoryURL = directory }
    process.standardOutput = handle
    process.standardError = handle
    try process.run()
  }

  var text: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }  // a missing file is empty

  func stop() {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
  }

  func kill() {
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  deinit { if process.isRunning { kill() } }
}

/// A hub on a free port of this machine. Its data is in a folder of the test environment or, if `TRENDY_TEST_STORAGE`
/// is `postgres`, in a new database.
final class TestHub {
  let url: String
  let data: String
  private let bench: Workbench
  private let running: Running

  init(_ bench: Workbench, name: String = "hub", port: String = "0", options: [String] = []) throws {
    self.bench = bench
    data = bench.store(name)
    if !FileManager.default.fileExists(atPath: data) {
      let made = try bench.run("trendyd", ["hub", "init", "--data", data, "--json"] + Self.place())
      try #require(made.status == 0, "\(made.talk)")
    }
    running = try Running(
      bench, "trendyd",
      ["run", "--role", "hub", "--data", data, "--listen", "127.0.0.1:\(port)", "--json"]
        + options)
    let log = running
    url = try #require(
      try eventually {
        guard log.process.isRunning else { throw BenchError(log.text) }
        guard let line = log.text.split(separator: "\n").first else { return nil }
        return try WireJSON.decode(JSONValue.self, from: Data(line.utf8)).objectValue?["url"]?.stringValue
      })
  }

  /// Creates a store for each name and connects it to the hub as a device with that name.
  func connect(_ devices: String...) throws {
    for device in devices {
      try bench.trendy("init", store: device)
      let connected = try bench.trendy("connect", url, code(), "--name", device, store: device)
      try #require(connected.status == 0, "\(connected.talk)")
    }
  }

  private static var chosenStorage: String? { ProcessInfo.processInfo.environment["TRENDY_TEST_STORAGE"] }

  /// Whether the hub's data is in a folder rather than in a database.
  static var isInFolder: Bool { chosenStorage == nil }

  private static func place() throws -> [String] {
    switch chosenStorage {
    case nil: return []
    case "postgres"?: return ["--storage", try PostgresCluster.shared.get().newDatabase()]
    case let other?: throw BenchError("TRENDY_TEST_STORAGE is postgres or not set, not \(other)")
    }
  }

  var port: String { String(url.split(separator: ":").last ?? "") }
  var process: Process { running.process }
  var log: String { running.text }

  func code() throws -> String {
    let result = try bench.run("trendyd", ["pair", "--data", data, "--json"])
    return try #require(result.document.objectValue?["code"]?.stringValue, "\(result.talk)")
  }

  func stop() { running.stop() }
  func kill() { running.kill() }
}

struct BenchError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Polls until the closure returns a value, for up to two minutes. A program that takes longer is considered dead;
/// tests normally need much less.
func eventually<Answer>(_ ask: () throws -> Answer?) throws -> Answer? {
  for _ in 0..<2400 {
    if let answer = try ask() { return answer }
    usleep(50_000)
  }
  return nil
}

extension JSONValue {
  /// Member of a JSON object.
  subscript(_ member: String) -> JSONValue? { objectValue?[member] }
}
