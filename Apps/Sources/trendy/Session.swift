import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyPersistence
import TrendyProtocols

/// What a command works with: its arguments, the console, the settings, the store.
struct Session {
  let command: CommandSpec
  private(set) var arguments: Arguments
  let console: Console
  /// The command line as it was given, to hand on.
  let words: [String]
  let now: Date
  let storeDirectory: URL
  private let personal: PersonalStore
  let confirmations = Confirmations()

  /// Commands that replace or mend the store: they open it themselves, each time anew, and go by what this machine sets alone.
  private static let repairing = ["doctor", "restore"]

  init(command: CommandSpec, arguments: Arguments, console: Console, words: [String], settings: Settings)
    throws(CommandError)
  {
    if arguments.value("--store") == "" {
      throw CommandError("The value '' is invalid for '--store'", hint: "It is a folder.", exit: .usage)
    }
    self.command = command
    self.arguments = arguments
    self.console = console
    self.words = words
    now = SystemTime().now
    storeDirectory = StoreLocation.store(option: arguments.value("--store"), settings: settings)
    personal = PersonalStore(
      directory: storeDirectory, settings: settings, isUTC: arguments.has("--utc"),
      isShared: !Self.repairing.contains(command.name), console: console)
    if !arguments.has("--utc"), let zone = LocalTime.unknownZone(in: Environment.all) {
      console.talk("This system knows no time zone '\(zone)' (TZ): times are read and shown in UTC.")
    }
  }

  /// The same with other words of the command, such as a line that is piped in.
  /// - Throws: ``CommandError`` with exit 64 for an option that is not among `options`.
  func reading(_ words: [String], options: [OptionSpec]) throws(CommandError) -> Session {
    var session = self
    session.arguments = try Arguments(words, options: options, usage: Commands.table.usage(of: command))
    return session
  }

  /// The clock on the wall, with the days of the person.
  var local: LocalTime { personal.known.local }
  var units: Units { personal.known.units }
  /// With those of the person, as their record has them.
  var settings: Settings { personal.known.settings }

  /// The same, for a command that answers with them.
  /// - Throws: what the store says that cannot be read.
  func allSettings() throws -> Settings {
    if let failure = personal.known.failure { throw failure }
    return personal.known.settings
  }

  var listLimit: Int { settings.text(Setting.listLimit).flatMap { Int($0) } ?? 0 }

  /// Opens the existing store and begins a decision on it: see `Command.run`.
  func openStore() throws -> AppContainer {
    let container = try personal.open()
    try container.record.beginDecision()
    return container
  }

  /// Where counts of what was sealed are kept.
  static var countsFolder: URL { StoreLocation.counts(environment: Environment.all) }

  /// Counts of the whole record, of which what was sealed was counted before.
  func counts(of store: LocalStore) -> LocalInsightSource {
    LocalInsightSource(store: store, local: local, cache: Self.countsFolder)
  }

  func usageError(_ message: String, hint: String? = nil) -> CommandError {
    CommandError(message, hint: hint, usage: Commands.table.usage(of: command), exit: .usage)
  }

  /// What an edit says that changes nothing: it is so already, which a script that is run again may meet.
  /// - Parameter options: those that name a change.
  /// - Throws: ``CommandError`` with exit 64 where none was named.
  func tellNothingChanges(of options: [OptionSpec]) throws(CommandError) {
    guard options.contains(where: { arguments.has($0.key) }) else { throw usageError("Nothing to change was named") }
    tellNothingChanges()
  }

  func tellNothingChanges() { console.talk("It is so already: nothing was changed.") }

  /// Whether a thing can be called so: something to see, on one line, of at most 128 bytes.
  func isName(_ text: String) -> Bool {
    text.utf8.count <= 128 && !text.allSatisfy(\.isWhitespace)
      && !text.unicodeScalars.contains(where: \.isTerminalControl)
  }

  /// A colour as it is kept; `nil` where none was given.
  func colour(_ text: String?) throws(CommandError) -> String? {
    guard let text else { return nil }
    let digits = text.utf8.dropFirst()
    guard text.hasPrefix("#"), digits.count == 6, digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit })
    else {
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
