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
  private(set) var arguments: Arguments
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
    if !local.isUTC, let zone = LocalTime.unknownZone(in: Environment.all) {
      console.talk("This system knows no time zone '\(zone)' (TZ): times are read and shown in UTC.")
    }
    now = SystemTime().now
    storeDirectory = StoreLocation.store(option: arguments.value("--store"), environment: Environment.all)
  }

  /// The same with other words of the command, such as a line that is piped in.
  /// - Throws: ``CommandError`` with exit 64 for an option that is not among `options`.
  func reading(_ words: [String], options: [OptionSpec]) throws(CommandError) -> Session {
    var session = self
    session.arguments = try Arguments(words, options: options, usage: Commands.table.usage(of: command))
    return session
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

  /// Whether a thing can be called so: something to see, on one line, of at most 128 bytes.
  func isName(_ text: String) -> Bool {
    text.utf8.count <= 128 && !text.allSatisfy(\.isWhitespace)
      && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  /// A colour as it is kept; `nil` where none was given.
  func colour(_ text: String?) throws(CommandError) -> String? {
    guard let text else { return nil }
    guard text.wholeMatch(of: /#[0-9A-Fa-f]{6}/) != nil else {
      throw usageError("'\(text)' is no colour", hint: "Colours look like #7B4F2E.")
    }
    return text.uppercased()
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
