import Foundation
import TrendyPersistence

/// Durability test: two writers, a reader, a process that merges segments and one that creates backups share a store
/// and are killed repeatedly. Every save that a writer acknowledged in its ledger must be in the store.
@main
enum TrendyTorture {
  static let usage = """
    usage: trendy-torture --seconds N [--seed S] [--dir DIR]
           trendy-torture --check DIR

      --seconds N   duration; at least one round is run
      --seed S      seed of the times at which processes are killed; the written data is always the same
      --dir DIR     an empty working folder, which is kept (default: a temporary one, kept only if data was lost)
      --check DIR   only compares the store of a previous run with its ledger

    Exit status: 0 no data lost, 1 data lost, 2 invalid options.
    """

  static func main() {
    do {
      exit(try run(Array(CommandLine.arguments.dropFirst())))
    } catch let error as UsageError {
      print("trendy-torture: \(error.text)\n\(usage)")
      exit(2)
    } catch {
      print("LOST: \(error)")
      exit(1)
    }
  }

  private static func run(_ words: [String]) throws -> Int32 {
    var options: [String: String] = [:]
    var rest = words[...]
    while let name = rest.popFirst() {
      guard ["--seconds", "--seed", "--dir", "--check", "--role"].contains(name), let value = rest.popFirst() else {
        throw UsageError(text: "unknown option '\(name)', or its value is missing")
      }
      options[name] = value
    }
    if let folder = options["--check"] {
      var checker = Checker(folder: Folder(path: folder))
      try checker.check()
      print(checker.summary)
      return 0
    }
    if let role = options["--role"], let path = options["--dir"] {
      try Role(role, folder: Folder(path: path)).run()
      return 0
    }
    guard let seconds = options["--seconds"].flatMap(Double.init), seconds > 0 else {
      throw UsageError(text: "--seconds is missing")
    }
    let seed = try options["--seed"].map { text in
      guard let seed = UInt64(text) else { throw UsageError(text: "invalid seed '\(text)'") }
      return seed
    }
    let path = options["--dir"] ?? NSTemporaryDirectory() + "/trendy-torture-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    var rounds = Rounds(folder: Folder(path: path), seed: seed ?? UInt64.random(in: 1...999_999))
    do {
      try rounds.run(seconds: seconds)
    } catch {
      print("seed \(rounds.seed), round \(rounds.count); all files are kept in \(path)")
      throw error
    }
    if options["--dir"] == nil { try FileManager.default.removeItem(atPath: path) }
    return 0
  }
}

struct UsageError: Error {
  let text: String
}

struct Loss: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

struct Folder: Sendable {
  let path: String

  var store: String { path + "/store" }
  var backup: String { path + "/store.backup" }
  /// Path of the restored backup.
  var copy: String { path + "/copy" }
  func ledger(_ writer: Int) -> String { path + "/ledger-\(writer)" }
  func errorFile(_ role: String) -> String { path + "/complaint-\(role)" }

  /// Returns the number of saves that the writer acknowledged.
  func acknowledged(_ writer: Int) -> Int {
    let size = try? FileManager.default.attributesOfItem(atPath: ledger(writer))[.size] as? Int
    return size ?? 0
  }
}
