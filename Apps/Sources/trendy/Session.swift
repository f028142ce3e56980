import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyPersistence
import TrendyProtocols

/// Context of a command: arguments, console, settings and store.
struct Session {
  let command: CommandSpec
  private(set) var arguments: Arguments
  let console: Console
  /// Command line as given, to be passed on.
  let words: [String]
  let now: Date
  let storeDirectory: URL
  private let personal: PersonalStore
  let confirmations = Confirmations()

  /// Commands that replace or repair the store. They open it themselves and use only the settings of this machine.
  private static let repairing = ["doctor", "restore"]

  init(command: CommandSpec, arguments: Arguments, console: Console, words: [String], settings: Settings)
    throws(CommandError)
  {
    if arguments.value("--store") == "" {
      throw CommandError(
        "The value '' is invalid for '--store'", hint: "Name a folder, for example --store ~/trendy.", exit: .usage)
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
      console.talk("Unknown time zone '\(zone)' in TZ: times are read and printed in UTC.")
    }
  }

  /// Returns a session with other arguments, such as those of a piped line.
  /// - Throws: ``CommandError`` with exit 64 for an option that is not among `options`.
  func reading(_ words: [String], options: [OptionSpec]) throws(CommandError) -> Session {
    var session = self
    session.arguments = try Arguments(words, options: options, usage: Commands.table.usage(of: command))
    return session
  }

  /// Local time with the user's start of the day and of the week.
  var local: LocalTime { personal.known.local }
  var units: Units { personal.known.units }
  /// Settings, including the synced ones of the user.
  var settings: Settings { personal.known.settings }

  /// Returns the settings for a command that prints them.
  /// - Throws: the error of a store that cannot be read.
  func allSettings() throws -> Settings {
    if let failure = personal.known.failure { throw failure }
    return personal.known.settings
  }

  var listLimit: Int { settings.text(Setting.listLimit).flatMap { Int($0) } ?? 0 }

  /// Opens the existing store and marks the state on which the command bases its change.
  ///
  /// If another process saves after this call, saving throws `OutdatedDecisionError`, and `Command.run` repeats the
  /// command.
  func openStore() throws -> AppContainer {
    let container = try personal.open()
    try container.record.beginDecision()
    return container
  }

  /// Folder of the cached daily counts.
  static var countsFolder: URL { StoreLocation.counts(environment: Environment.all) }

  /// Daily counts of the store; those of sealed segments come from the cache.
  func counts(of store: LocalStore) -> LocalInsightSource {
    LocalInsightSource(store: store, local: local, cache: Self.countsFolder)
  }

  /// Name of an undo step: `log coffee (Fri 20 Nov 08:30)`.
  func undoLabel(_ verb: String, _ type: String, _ event: Event) -> String {
    let year = local.components(of: now).year
    let when =
      event.isAllDay
      ? local.day(local.midnight(of: local.date(of: event)), year: year) : local.dayAndTime(event.timestamp, year: year)
    return "\(verb) \(type) (\(when))"
  }

  func usageError(_ message: String, hint: String? = nil) -> CommandError {
    CommandError(message, hint: hint, usage: Commands.table.usage(of: command), exit: .usage)
  }

  /// Reports that an edit changes nothing, as when a script runs again.
  /// - Parameter options: options that request a change.
  /// - Throws: ``CommandError`` with exit 64 if none of them was given.
  func reportNothingChanged(of options: [OptionSpec]) throws(CommandError) {
    guard options.contains(where: { arguments.has($0.key) }) else { throw usageError("No change given") }
    reportNothingChanged()
  }

  func reportNothingChanged() { console.talk("Nothing to change: the values are the same.") }

  /// Whether a text can be a name: one line of 1 to 128 bytes that the command line does not read as an option.
  func isName(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && !text.hasPrefix("-") && text.first?.isWhitespace == false
      && text.last?.isWhitespace == false && !text.unicodeScalars.contains(where: \.isTerminalControl)
  }

  static let nameRule = "Use one line of 1 to 128 bytes that does not begin with '-' and has no blanks at its ends"

  /// Returns a colour in its stored form, `#RRGGBB`; `nil` if none was given.
  func colour(_ text: String?) throws(CommandError) -> String? {
    guard let text else { return nil }
    let digits = text.utf8.dropFirst()
    guard text.hasPrefix("#"), digits.count == 6, digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit })
    else {
      throw usageError("Invalid colour '\(text)'", hint: "Use #RRGGBB, for example #7B4F2E.")
    }
    return text.uppercased()
  }

  func wholeNumber(option: String, in range: ClosedRange<Int>) throws(CommandError) -> Int? {
    guard let text = arguments.value(option) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw usageError(
        "The value '\(text)' is invalid for '\(option)'", hint: "Use a whole number of at least \(range.lowerBound).")
    }
    return number
  }
}

/// The environment, read once.
enum Environment {
  static let all: [String: String] = ProcessInfo.processInfo.environment
}
