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

/// The context of a command: its arguments, the console, the hub and the store that are meant.
struct DaemonSession: Sendable {
  let arguments: Arguments
  let console: Console
  let environment: [String: String]
  let settings: Settings
  /// The hub of `--data`, whether or not it exists yet.
  let hub: HubContainer
  /// The agent's.
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

  /// - Parameter database: what was said; otherwise what is kept in the folder counts. Where that cannot be read, nobody knows where the
  ///   data is: whatever is asked of the hub says why.
  private static func hub(in directory: URL, database: String?) -> HubContainer {
    if let database { return HubContainer(directory: directory, database: database) }
    do throws(CommandError) {
      return HubContainer(directory: directory, database: try HubSettings.load(from: directory).storage)
    } catch {
      return HubContainer(directory: directory, refusal: error)
    }
  }

  /// The option that names the folder of this hub, for command lines that are suggested; empty where it is the usual folder.
  var dataOption: String { arguments.value("--data").map { " --data \(ShellWords.quoted($0))" } ?? "" }

  /// The same command line, with the configuration as it is now.
  func rereading() -> DaemonSession { DaemonSession(arguments: arguments, console: console) }

  /// The files by which the agent of the store is asked.
  var runtimeFiles: RuntimeFiles {
    RuntimeFiles(storeDirectory: storeDirectory, environment: environment, status: value("--status", Setting.status))
  }

  /// The person's, where there is a store; one that cannot be read is said by those who need it.
  var preferences: Preferences {
    var settings = settings
    if DeviceRecord.exists(at: storeDirectory), let app = try? AppContainer(storeDirectory: storeDirectory) {
      settings.synced = (try? app.makeStore().syncedSettings()) ?? [:]  // as above
    }
    return Preferences(settings)
  }

  /// The hub of `--data`. Root acts as the owner of its folder from here on: a file that root made in it would be closed to the
  /// service that serves it.
  /// - Throws: ``CommandError`` with exit 66 where there is none; `HubStorageError`.
  func existingHub() throws -> HubContainer {
    let hub = try servedHub()
    guard hub.database == nil else { return hub }
    var status = stat()
    guard geteuid() == 0, stat(hub.directory.path, &status) == 0, status.st_uid != 0 else { return hub }
    guard setgroups(0, nil) == 0, setgid(status.st_gid) == 0, setuid(status.st_uid) == 0 else {
      throw CommandError(
        "The owner of \(hub.directory.path) cannot be acted for: \(String(cString: strerror(errno)))",
        hint: "Say this as the user that runs the hub.", exit: .refused)
    }
    return hub
  }

  /// The hub of `--data`, for the process that serves it.
  /// - Throws: ``CommandError`` with exit 66 where there is none; `HubStorageError`.
  func servedHub() throws -> HubContainer {
    guard try hub.exists() else {
      throw CommandError(
        "There is no hub at \(hub.place)", hint: "Make one: trendyd hub init; or name the folder of one: --data FOLDER",
        exit: .notFound)
    }
    return hub
  }

  /// Settings of a hub as this command line says them, and of none that are kept.
  /// - Throws: ``CommandError`` with exit 64 for a value that cannot be.
  func saidSettings() throws(CommandError) -> HubSettings { try HubSettings().saidOver(by: arguments) }

  /// Settings of the hub as kept by `hub init`, instead what the configuration says, instead of that what this command line says.
  func hubSettings() throws(CommandError) -> HubSettings {
    try HubSettings.load(from: hub.directory).saidOver(by: settings).saidOver(by: arguments)
  }

  /// The person of `--name`, or the only one.
  /// - Parameter use: the command that would say whose.
  func person(for use: String) throws -> HubPerson {
    let lookup = PeopleLookup(accounts: hub.accounts)
    if let name = arguments.value("--name") { return try lookup.person(called: name) }
    return try lookup.onlyPerson(for: use)
  }

  func invalid(_ option: String, hint: String) -> CommandError {
    CommandError("The value '\(arguments.value(option) ?? "")' is invalid for '\(option)'", hint: hint, exit: .usage)
  }
}
