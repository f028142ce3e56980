import Foundation
import TrendyHub

/// A hub in a child process, so that the hub's memory and CPU time can be measured separately from its clients'.
final class HubProcess {
  private let process = Process()
  private let input = Pipe()
  let port: UInt16

  /// Starts this executable as `serve DIR CONNECTIONS`.
  convenience init(directory: String, connections: Int) throws {
    try self.init(
      "/proc/self/exe", ["serve", directory, "\(connections)"],
      portIn: { UInt16($0.trimmingCharacters(in: .whitespacesAndNewlines)) })
  }

  /// Starts the daemon as a hub.
  convenience init(daemon: String, directory: String) throws {
    try self.init(
      daemon,
      [
        "run", "--role", "hub", "--data", directory, "--listen", "127.0.0.1:0", "--limit", "requestsPerMinute=none",
        "--log-level", "error", "--json",
      ],
      portIn: { $0.firstMatch(of: /127\.0\.0\.1:([0-9]+)/).flatMap { UInt16($0.output.1) } })
  }

  private init(_ program: String, _ arguments: [String], portIn: (String) -> UInt16?) throws {
    process.executableURL = URL(filePath: program).resolvingSymlinksInPath()
    process.arguments = arguments
    process.standardInput = input
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = portIn(line) else { throw Failed(description: "the hub did not start: \(line)") }
    self.port = port
  }

  struct Failed: Error, CustomStringConvertible {
    var description: String
  }

  /// Serves until standard input is closed.
  static func serve(directory: String, connections: Int) async throws {
    var limits = HTTPLimits()
    limits.connections = connections
    let server = HubServer(
      storage: EmbeddedHubStorage(directory: directory), transport: SocketTransport(limits: limits),
      configuration: HubConfiguration(requestsPerMinute: nil, streams: connections))
    let port = try await server.start()
    FileHandle.standardOutput.write(Data("\(port)\n".utf8))
    while !FileHandle.standardInput.availableData.isEmpty {}
    await server.stop()
  }

  func end() {
    try? input.fileHandleForWriting.close()
    process.terminate()
    process.waitUntilExit()
  }

  /// Resident memory in MB: anonymous, and mapped from files.
  var memory: (own: Double, mapped: Double) {
    let text = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
    func megabytes(_ match: Regex<(Substring, Substring)>.Match?) -> Double {
      match.flatMap { Double($0.output.1) }.map { $0 / 1024 } ?? 0
    }
    return (
      megabytes(text.firstMatch(of: /RssAnon:\s+([0-9]+)/)), megabytes(text.firstMatch(of: /RssFile:\s+([0-9]+)/))
    )
  }

  /// Returns the CPU time in seconds used so far by the process, or by its threads with the given name.
  func processorTime(ofThreads name: String? = nil) -> Double {
    let folder = "/proc/\(process.processIdentifier)"
    guard let name else { return Self.seconds("\(folder)/stat") }
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/task")) ?? []
    return threads.filter { thread in
      (try? String(contentsOfFile: "\(folder)/task/\(thread)/comm", encoding: .utf8))?.hasPrefix(name) ?? false
    }.reduce(0) { $0 + Self.seconds("\(folder)/task/\($1)/stat") }
  }

  /// Returns the CPU time in a `stat` file, with a resolution of 10 ms (kernel clock ticks).
  private static func seconds(_ path: String) -> Double {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    // The process name in parentheses may contain spaces.
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
    return (user + system) / 100
  }
}
