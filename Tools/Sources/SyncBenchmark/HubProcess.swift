import Foundation

/// The hub's process, which the benchmark starts and controls (see ``HubChild``).
final class HubProcess {
  private(set) var url = URL(filePath: "/")
  private var tokens: [String] = []
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(program: String, directory: String) throws {
    process.executableURL = URL(filePath: program)
    process.arguments = ["hub", directory]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    // The hub accepts requests once it has printed its port.
    let words = try answer().split(separator: " ").map(String.init)
    guard words.count == 5, let url = URL(string: "http://127.0.0.1:\(words[0])") else {
      throw UsageError(text: "the hub did not print its port")
    }
    self.url = url
    tokens = Array(words[1...])
  }

  var identifier: Int32 { process.processIdentifier }

  /// Returns a device token that has not been used yet.
  func nextToken() -> String { tokens.removeFirst() }

  func create(_ numbers: Range<Int>) throws { try tell("create \(numbers.lowerBound) \(numbers.upperBound)") }
  func edit(_ numbers: Range<Int>) throws { try tell("edit \(numbers.lowerBound) \(numbers.upperBound)") }
  func requests() throws -> Int { Int(try tell("count")) ?? 0 }
  func peakMemory() throws -> Int { Int(try tell("memory")) ?? 0 }

  func stop() {
    // The child exits when its standard input closes.
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  @discardableResult
  private func tell(_ line: String) throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    return try answer()
  }

  private func answer() throws -> String {
    var line = Data()
    while let byte = try output.fileHandleForReading.read(upToCount: 1), let first = byte.first {
      if first == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(first)
    }
    throw UsageError(text: "the hub's process exited")
  }
}
