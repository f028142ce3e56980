import Foundation

enum Command {
  struct Result {
    var status: Int32
    var output: String
    /// Whether the program was killed after the time limit.
    var wasStopped = false
  }

  static func output(_ name: String, _ arguments: [String]) throws -> String {
    let result = try run(name, arguments)
    guard result.status == 0 else {
      throw TableError(description: "\(name) \(arguments.joined(separator: " ")) exited with status \(result.status)")
    }
    return result.output
  }

  /// Runs a program and returns its output. After `limit` seconds the program is killed, which is not an error.
  static func run(
    _ name: String, _ arguments: [String], environment: [String: String] = [:], limit: Int? = nil
  ) throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = (limit.map { ["timeout", "-s", "KILL", "\($0)"] } ?? []) + [name] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    // `timeout` exits with 137 after killing the program.
    return Result(status: process.terminationStatus, output: output, wasStopped: process.terminationStatus == 137)
  }
}
