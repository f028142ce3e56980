import Foundation
import TrendyArchive

/// Archive programs of the system. Tests are skipped if the program they need is missing.
enum ArchiveTools {
  static func has(_ program: String) -> Bool { path(of: program) != nil }

  static func path(of program: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
      .map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Returns the exit status and the output, including standard error.
  @discardableResult
  static func run(_ program: String, _ arguments: [String], in folder: URL) throws -> (status: Int32, output: [UInt8]) {
    let process = Process()
    process.executableURL = URL(filePath: path(of: program) ?? program)
    process.arguments = arguments
    process.currentDirectoryURL = folder
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, Array(output))
  }

  static func inFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "archive-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }  // a leftover folder is harmless
    return try body(folder)
  }
}

enum Bytes {
  /// Text that compresses to about a tenth.
  static func text(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var number = 1
    while bytes.count < count {
      let value = number &* 7919 % 1000
      bytes += Array("<Record type=\"StepCount\" value=\"\(value)\" at=\"2026-02-\(number % 28)\"/>\n".utf8)
      number += 1
    }
    return Array(bytes.prefix(count))
  }

  /// Incompressible bytes from a linear congruential generator (Knuth, MMIX).
  static func noise(_ count: Int) -> [UInt8] {
    var state: UInt64 = 1
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
  }
}

extension ZipReader {
  /// Returns the contents of all files by path, reading `step` bytes at a time.
  func files(step: Int = 1000) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    var buffer = [UInt8](repeating: 0, count: step)
    for entry in entries where entry.kind == .file {
      var content = try open(entry)
      var bytes: [UInt8] = []
      while true {
        let count = try buffer.withUnsafeMutableBytes { try content.read(into: $0) }
        if count == 0 { break }
        bytes += buffer[..<count]
      }
      files[entry.path] = bytes
    }
    return files
  }
}
