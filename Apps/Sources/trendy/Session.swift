import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyPersistence
import TrendyProtocols

struct Session {
  let command: CommandSpec
  private(set) var arguments: Arguments
  let console: Console
  /// Command-line words, passed on to `trendyd network`.
  let words: [String]
  let now: Date
  let storeDirectory: URL
  private let personal: PersonalStore
  let confirmations = Confirmations()

  /// Commands that replace or repair the store. These commands open the store themselves and use no synced settings.
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

  /// Returns a copy of the session with another command line, such as a line of `log -`. Options not in `options` are
  /// invalid.
  func reading(_ words: [String], options: [OptionSpec]) throws(CommandError) -> Session {
    var session = self
    session.arguments = try Arguments(words, options: options, usage: Commands.table.usage(of: command))
    return session
  }

  /// The user's calendar: time zone, start of the day and week, and time format.
  var local: LocalTime { personal.known.local }
  var units: Units { personal.known.units }
  var settings: Settings { personal.known.settings }

  /// Returns the effective settings, for commands that print them.
  /// - Throws: an error from reading the synced settings. ``settings`` ignores that error.
  func allSettings() throws -> Settings {
    if let failure = personal.known.failure { throw failure }
    return personal.known.settings
  }

  var listLimit: Int { settings.text(Setting.listLimit).flatMap { Int($0) } ?? 0 }

  /// Opens the existing store and records its state as the basis for the command's change.
  ///
  /// If another process saves first, the command's save throws `OutdatedDecisionError`, and `Command.run` repeats the
  /// command.
  func openStore() throws -> AppContainer {
    let container = try personal.open()
    try container.record.beginDecision()
    return container
  }

  /// Folder for cached daily counts.
  static var countsFolder: URL { StoreLocation.counts(environment: Environment.all) }

  /// Returns the store's daily counts. The cache covers segments that no longer change.
  func counts(of store: LocalStore) -> LocalInsightSource {
    LocalInsightSource(store: store, local: local, cache: Self.countsFolder)
  }

  /// Returns the label of an undo step, such as `log coffee (Fri 20 Nov 08:30)`.
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

  /// Reports that an edit would change nothing. This is not an error, because scripts may run twice.
  ///
  /// `options` are the options that specify a change.
  /// - Throws: ``CommandError`` with exit 64 if none of these options is given.
  func reportNothingChanged(of options: [OptionSpec]) throws(CommandError) {
    guard options.contains(where: { arguments.has($0.key) }) else { throw usageError("No change specified") }
    reportNothingChanged()
  }

  func reportNothingChanged() { console.talk("Nothing to change: the values are the same.") }

  /// Whether a string is a valid name: one line of 1 to 128 bytes that cannot be mistaken for an option.
  func isName(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && !text.hasPrefix("-") && text.first?.isWhitespace == false
      && text.last?.isWhitespace == false && !text.unicodeScalars.contains(where: \.isTerminalControl)
  }

  static let nameRule =
    "Use one line of 1 to 128 bytes that does not begin with '-' and does not begin or end with a space"

  /// Validates a colour in the form `#RRGGBB` and returns it in upper case, or `nil` if `text` is `nil`.
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

enum Environment {
  static let all: [String: String] = ProcessInfo.processInfo.environment
}
