import Foundation

/// The hub's process as its parent sees it; see ``HubChild``.
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
    // Until it has said its port there is nothing to talk to.
    let words = try answer().split(separator: " ").map(String.init)
    guard words.count == 5, let url = URL(string: "http://127.0.0.1:\(words[0])") else {
      throw UsageError(text: "the hub did not say its port")
    }
    self.url = url
    tokens = Array(words[1...])
  }

  var identifier: Int32 { process.processIdentifier }

  /// One device's.
  func nextToken() -> String { tokens.removeFirst() }

  func create(_ numbers: Range<Int>) throws { try tell("create \(numbers.lowerBound) \(numbers.upperBound)") }
  func edit(_ numbers: Range<Int>) throws { try tell("edit \(numbers.lowerBound) \(numbers.upperBound)") }
  func requests() throws -> Int { Int(try tell("count")) ?? 0 }
  func peakMemory() throws -> Int { Int(try tell("memory")) ?? 0 }

  func stop() {
    // Its end of the pipe closed, it ends by itself.
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
    throw UsageError(text: "the hub's process ended")
  }
}
