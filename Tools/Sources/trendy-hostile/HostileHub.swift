import Foundation
import TrendyHub

/// A hub in a child process with a low limit on open files, and the tokens of its users.
final class HostileHub: Sendable {
  struct Member: Sendable {
    var token: String
    /// Local address used by no other user.
    var address: String
  }

  let process = Process()
  let port: UInt16
  /// All users except the malicious one.
  let others: [Member]
  /// Devices of the malicious user.
  let hostile: [Member]
  let accounts: HubAccounts
  private let log: String

  init(_ options: TrendyHostile.Options) throws {
    let data = options.folder + "/hub"
    let storage = EmbeddedHubStorage(directory: data)
    accounts = HubAccounts(storage: storage)
    let accounts = accounts
    func token(_ user: HubUser, _ device: String) throws -> String {
      try accounts.createToken(user: user.id, deviceName: device).token
    }
    try FileManager.default.createDirectory(atPath: options.folder, withIntermediateDirectories: true)
    let villain = try accounts.createPerson(name: "hostile")
    hostile = try (0..<10).map { Member(token: try token(villain, "device \($0)"), address: "127.66.6.6") }
    others = try (1..<options.persons).map { number in
      Member(
        token: try token(try accounts.createPerson(name: "person \(number)"), "phone"),
        address: "127.1.\(number / 250).\(number % 250 + 1)")
    }
    log = options.folder + "/hub.log"
    let output = options.folder + "/hub.out"
    try Data().write(to: URL(filePath: output))
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = [
      "-c",
      "ulimit -n \(options.descriptors) && exec '\(options.programs)/trendyd' run --role hub --data '\(data)' "
        + "--listen 127.0.0.1:0 --json --log '\(log)' --limit requestsPerMinute=100000",
    ]
    process.standardOutput = try FileHandle(forWritingTo: URL(filePath: output))
    process.standardError = process.standardOutput
    try process.run()
    port = try Self.port(in: output, of: process)
  }

  private static func port(in path: String, of process: Process) throws -> UInt16 {
    for _ in 0..<600 where process.isRunning {
      let text = try String(contentsOfFile: path, encoding: .utf8)
      if let match = text.firstMatch(of: /"url":"http:..127\.0\.0\.1:([0-9]+)"/), let port = UInt16(match.output.1) {
        return port
      }
      usleep(50_000)
    }
    throw UsageError(text: "the hub did not start: \(try String(contentsOfFile: path, encoding: .utf8))")
  }

  /// Number of file descriptors that the hub has open, or 0 if unknown.
  var descriptors: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count) ?? 0
  }

  var lastLogLines: String {
    ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n").suffix(5).joined(separator: "\n")
  }

  /// Asks the hub to exit and returns whether it exited within 5 s.
  func end() -> Bool {
    process.terminate()
    for _ in 0..<100 {
      if !process.isRunning { return process.terminationStatus == 0 }
      usleep(50_000)
    }
    return false
  }

  func kill() {
    if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }
}
