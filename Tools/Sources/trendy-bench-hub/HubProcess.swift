import Foundation
import TrendyHub

/// A hub in a process of its own, whose memory and processor time are told apart from those of its clients.
final class HubProcess {
  private let process = Process()
  private let input = Pipe()
  let port: UInt16

  /// Starts this program once more, as `serve DIR CONNECTIONS`.
  init(directory: String, connections: Int) throws {
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["serve", directory, "\(connections)"]
    process.standardInput = input
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = UInt16(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw Failed(description: "the hub did not start: \(line)")
    }
    self.port = port
  }

  struct Failed: Error, CustomStringConvertible {
    var description: String
  }

  /// Serves until its standard input is closed.
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
    process.waitUntilExit()
  }

  /// Memory that is its own and not a file's, in megabytes.
  var memory: Double {
    let text = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
    let kilobytes = text.firstMatch(of: /RssAnon:\s+([0-9]+)/).flatMap { Double($0.output.1) } ?? 0
    return kilobytes / 1024
  }

  /// Processor time so far, in seconds: of the process, or of those of its threads that have this name.
  func processorTime(ofThreads name: String? = nil) -> Double {
    let folder = "/proc/\(process.processIdentifier)"
    guard let name else { return Self.seconds("\(folder)/stat") }
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/task")) ?? []
    return threads.filter { thread in
      (try? String(contentsOfFile: "\(folder)/task/\(thread)/comm", encoding: .utf8))?.hasPrefix(name) ?? false
    }.reduce(0) { $0 + Self.seconds("\(folder)/task/\($1)/stat") }
  }

  /// Exact to a hundredth: the kernel counts in ticks.
  private static func seconds(_ path: String) -> Double {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    // The name in parentheses may have spaces in it.
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
    return (user + system) / 100
  }
}
