import AgentLink
import AppContainer
import CommandSupport
import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import HubContainer
import TrendyAgent
import TrendyHub

struct DaemonSession: Sendable {
  let arguments: Arguments
  let console: Console
  let environment: [String: String]
  let settings: Settings
  /// Hub in the folder given by `--data`, which may not exist yet.
  let hub: HubContainer
  let storeDirectory: URL

  init(arguments: Arguments, console: Console) {
    self.arguments = arguments
    environment = ProcessInfo.processInfo.environment
    settings = Settings(environment: environment)
    var console = console
    console.terminal = Terminal.ofStandardOutput(environment: environment, settings: settings)
    self.console = console
    let directory = StoreLocation.hub(option: arguments.value("--data"), settings: settings)
    hub = Self.hub(
      in: directory, database: arguments.value("--storage") ?? settings.text(Setting.storage))
    storeDirectory = StoreLocation.store(option: arguments.value("--store"), settings: settings)
  }

  /// Returns the hub in a folder. `database` overrides the database saved there. If the saved settings are invalid,
  /// every operation on the hub throws their error.
  private static func hub(in directory: URL, database: String?) -> HubContainer {
    if let database { return HubContainer(directory: directory, database: database) }
    do throws(CommandError) {
      return HubContainer(directory: directory, database: try HubSettings.load(from: directory).storage)
    } catch {
      return HubContainer(directory: directory, refusal: error)
    }
  }

  /// This command line's `--data` option, for use in suggested commands, or an empty string for the default folder.
  var dataOption: String { arguments.value("--data").map { " --data \(ShellWords.quoted($0))" } ?? "" }

  /// Returns a session with the same arguments and the current configuration.
  func rereading() -> DaemonSession { DaemonSession(arguments: arguments, console: console) }

  var runtimeFiles: RuntimeFiles {
    RuntimeFiles(storeDirectory: storeDirectory, environment: environment, status: value("--status", Setting.status))
  }

  /// The user's preferences, including synced settings if there is a store.
  var preferences: Preferences {
    var settings = settings
    if DeviceRecord.exists(at: storeDirectory), let app = try? AppContainer(storeDirectory: storeDirectory) {
      settings.synced = (try? app.makeStore().syncedSettings()) ?? [:]  // reported when the store is used
    }
    return Preferences(settings)
  }

  /// Returns the existing hub in `--data`.
  ///
  /// A process running as root switches to the owner of the folder first. Otherwise it would create files that the
  /// service cannot open.
  /// - Throws: ``CommandError`` with exit 66 if no hub exists, or `HubStorageError`.
  func existingHub() throws -> HubContainer {
    let hub = try servedHub()
    guard hub.database == nil else { return hub }
    var status = stat()
    guard geteuid() == 0, stat(hub.directory.path, &status) == 0, status.st_uid != 0 else { return hub }
    guard setgroups(0, nil) == 0, setgid(status.st_gid) == 0, setuid(status.st_uid) == 0 else {
      throw CommandError(
        "Cannot switch to the owner of \(hub.directory.path): \(String(cString: strerror(errno)))",
        hint: "Run this command as the user that runs the hub.", exit: .refused)
    }
    return hub
  }

  /// Returns the existing hub in `--data` without switching to its owner, for the process that runs it.
  func servedHub() throws -> HubContainer {
    guard try hub.exists() else {
      throw CommandError(
        "No hub found at \(hub.place)",
        hint: "Create one with 'trendyd hub init', or specify the folder of an existing hub with --data FOLDER.",
        exit: .notFound)
    }
    return hub
  }

  func commandLineSettings() throws(CommandError) -> HubSettings { try HubSettings().overridden(by: arguments) }

  /// Returns the hub settings in effect. Options override the configuration, which overrides settings saved by `trendyd
  /// hub init`.
  func hubSettings() throws(CommandError) -> HubSettings {
    try HubSettings.load(from: hub.directory).overridden(by: settings).overridden(by: arguments)
  }

  /// Returns the user named by `--name`, or the only user of the hub. If there are several users, the error suggests
  /// the command line `use`.
  func user(for use: String) throws -> HubUser {
    let lookup = PeopleLookup(accounts: hub.accounts)
    if let name = arguments.value("--name") { return try lookup.user(called: name) }
    return try lookup.onlyPerson(for: use)
  }

  func invalid(_ option: String, hint: String) -> CommandError {
    CommandError("The value '\(arguments.value(option) ?? "")' is invalid for '\(option)'", hint: hint, exit: .usage)
  }
}
