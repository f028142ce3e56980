import TrendyAgent
import AppContainer
import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels
import TrendyProtocols

/// What a command works with: its arguments, the console, the clock on the wall, the store.
struct Session {
  let command: CommandSpec
  let arguments: Arguments
  let console: Console
  /// The command line as it was given, to hand on.
  let words: [String]
  let local: LocalTime
  let now: Date
  let storeDirectory: URL

  init(command: CommandSpec, arguments: Arguments, console: Console, words: [String])
    throws(CommandError)
  {
    if arguments.value("--store") == "" {
      throw CommandError("The value '' is invalid for '--store'", hint: "It is a folder.", exit: .usage)
    }
    self.command = command
    self.arguments = arguments
    self.console = console
    self.words = words
    local = LocalTime(isUTC: arguments.has("--utc"))
    now = SystemTime().now
    storeDirectory = StoreLocation.store(option: arguments.value("--store"), environment: Environment.all)
  }

  /// The store that is there.
  func openStore() throws -> AppContainer {
    guard DeviceRecord.exists(at: storeDirectory) else {
      throw CommandError.noStore(at: storeDirectory.path)
    }
    return try AppContainer(storeDirectory: storeDirectory)
  }

  func usageError(_ message: String, hint: String? = nil) -> CommandError {
    CommandError(message, hint: hint, usage: Commands.table.usage(of: command), exit: .usage)
  }

  /// The positional arguments, when there are as many as there should be.
  func positionals(_ range: ClosedRange<Int>, missing: String) throws(CommandError) -> [String] {
    let words = arguments.positionals
    if words.count < range.lowerBound { throw usageError("Missing \(missing)") }
    if words.count > range.upperBound { throw usageError("Unexpected '\(words[range.upperBound])'") }
    return words
  }

  /// Whether a thing can be called so: something to see, on one line, of at most 128 bytes.
  func isName(_ text: String) -> Bool {
    text.utf8.count <= 128 && !text.allSatisfy(\.isWhitespace)
      && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  func date(option: String) throws(CommandError) -> Date? {
    guard let phrase = arguments.value(option) else { return nil }
    return try TimePhrase.date(phrase, now: now, in: local)
  }

  func wholeNumber(option: String, in range: ClosedRange<Int>) throws(CommandError) -> Int? {
    guard let text = arguments.value(option) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw usageError(
        "The value '\(text)' is invalid for '\(option)'", hint: "It is a number from \(range.lowerBound) up.")
    }
    return number
  }
}

/// The environment, read once.
enum Environment {
  static let all: [String: String] = ProcessInfo.processInfo.environment
}
