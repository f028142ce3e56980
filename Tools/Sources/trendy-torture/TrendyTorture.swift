import Foundation
import TrendyPersistence

/// Durability test: two writers, a reader, a process that merges segments and one that creates backups share a store
/// and are killed repeatedly. Every save that a writer acknowledged in its ledger must be in the store.
@main
enum TrendyTorture {
  static let usage = """
    usage: trendy-torture --seconds N [--seed S] [--dir DIR]
           trendy-torture --check DIR

      --seconds N   how long; at least one round is made
      --seed S      of the moments at which processes are killed; what they write is always the same
      --dir DIR     an empty folder to work in, which is kept; else a temporary one, kept only if something was lost
      --check DIR   only holds the store of an earlier run against its ledger

    Status 0: nothing was lost; 1: something was; 2: these options.
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
        throw UsageError(text: "'\(name)' is no option, or lacks its value")
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
      throw UsageError(text: "it needs to know for how long")
    }
    let seed = try options["--seed"].map { text in
      guard let seed = UInt64(text) else { throw UsageError(text: "'\(text)' is no seed") }
      return seed
    }
    let path = options["--dir"] ?? NSTemporaryDirectory() + "/trendy-torture-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    var rounds = Rounds(folder: Folder(path: path), seed: seed ?? UInt64.random(in: 1...999_999))
    do {
      try rounds.run(seconds: seconds)
    } catch {
      print("seed \(rounds.seed), round \(rounds.count); everything is kept in \(path)")
      throw error
    }
    if options["--dir"] == nil { try FileManager.default.removeItem(atPath: path) }
    return 0
  }
}

struct UsageError: Error {
  let text: String
}

/// Data was lost or damaged.
struct Loss: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Paths within the working folder.
struct Folder: Sendable {
  let path: String

  var store: String { path + "/store" }
  var backup: String { path + "/store.backup" }
  /// Path to which backups are restored.
  var copy: String { path + "/copy" }
  func ledger(_ writer: Int) -> String { path + "/ledger-\(writer)" }
  func errorFile(_ role: String) -> String { path + "/complaint-\(role)" }

  /// Number of saves that the writer acknowledged.
  func acknowledged(_ writer: Int) -> Int {
    let size = try? FileManager.default.attributesOfItem(atPath: ledger(writer))[.size] as? Int
    return size ?? 0
  }
}
