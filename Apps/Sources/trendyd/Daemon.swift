import AgentLink
import AppContainer
import CommandSupport
import Foundation
import HubContainer
import NetworkContainer
import TrendyHub
import TrendyModels
import TrendyProtocols

/// What `trendyd` does, by its arguments.
struct Daemon {
  enum Role: String, CaseIterable {
    case agent
    case hub
    case both
  }

  private let role: Role
  private let arguments: Arguments
  private let pollInterval: Duration
  private let personName: String?
  private let isInitIdempotent: Bool
  private let receivers: Receivers.Sources
  /// Whether trips and places are put on the desktop.
  private let isNotifying: Bool
  private let statusPath: String?
  /// What keeps a hub's data safe, for the one who runs it.
  let care: HubCare
  private let hubPeople: HubPeople
  private let hub: HubContainer
  private let storeDirectory: URL
  private let console: Console

  init(arguments: Arguments, console: Console) throws(CommandError) {
    func invalid(_ option: String, _ hint: String) -> CommandError {
      CommandError("The value '\(arguments.value(option) ?? "")' is invalid for '\(option)'", hint: hint, exit: .usage)
    }
    guard let role = Role(rawValue: arguments.value("--role") ?? "agent") else {
      throw invalid("--role", "It is agent, hub or both.")
    }
    // What is said wrong is told before anything is done, whatever the command.
    _ = try HubSettings().saidOver(by: arguments)
    self.arguments = arguments
    guard let seconds = TimePhrase.seconds(arguments.value("--poll") ?? "1m"), (1...86_400).contains(seconds) else {
      throw invalid("--poll", "It is a duration from 1s to 1d.")
    }
    var receivers = Receivers.Sources()
    receivers.allowedHosts = arguments.all("--host")
    if let text = arguments.value("--ingest") {
      guard let endpoint = HubSettings.Endpoint(text) else {
        throw invalid("--ingest", "It looks like 127.0.0.1:8788.")
      }
      receivers.listen = (endpoint.address, endpoint.port)
    }
    if let text = arguments.value("--gpsd") {
      let parts = text.split(separator: ":", maxSplits: 1)
      receivers.gpsd = (parts.first.map(String.init) ?? "localhost", parts.count > 1 ? String(parts[1]) : "2947")
    }
    if let text = arguments.value("--nmea") {
      let at = text.lastIndex(of: "@")
      let baud = at.flatMap { Int(text[text.index(after: $0)...]) }
      if let baud, !ByteSource.speeds.keys.contains(baud) {
        throw invalid(
          "--nmea", "The speed is one of \(ByteSource.speeds.keys.sorted().map { "\($0)" }.joined(separator: ", ")).")
      }
      receivers.nmea = (baud == nil ? text : at.map { String(text[..<$0]) } ?? text, baud)
    }
    guard role != .hub || receivers.isEmpty else {
      throw CommandError(
        "--ingest, --gpsd and --nmea are the agent's", hint: "A hub takes in at its own address: --role both for both.",
        exit: .usage)
    }
    self.receivers = receivers
    self.role = role
    let environment = ProcessInfo.processInfo.environment
    switch arguments.value("--notify") ?? environment["TRENDY_NOTIFY"] ?? "on" {
    case "on", "": isNotifying = true
    case "off": isNotifying = false
    default: throw invalid("--notify", "It is on or off.")
    }
    statusPath = arguments.value("--status")
    pollInterval = .seconds(seconds)
    personName = arguments.value("--name")
    isInitIdempotent = arguments.has("--if-missing")
    hub = HubContainer(directory: StoreLocation.hub(option: arguments.value("--data"), environment: environment))
    storeDirectory = StoreLocation.store(option: arguments.value("--store"), environment: environment)
    self.console = console
    care = HubCare(hub: hub, arguments: arguments, console: console)
    hubPeople = HubPeople(hub: hub, arguments: arguments, console: console)
  }

  /// Makes the hub's storage, its first person, and a code to pair the first device with.
  func initialiseHub() throws -> ExitCode {
    if hub.exists {
      if isInitIdempotent { return .done }
      throw CommandError(
        "There is a hub at \(hub.directory.path) already", hint: "A code for one more device: trendyd pair",
        exit: .cannotCreate)
    }
    let settings = try HubSettings().saidOver(by: arguments)
    let person = try hub.accounts.createPerson(
      name: personName ?? ProcessInfo.processInfo.environment["USER"] ?? "me")
    try settings.save(to: hub.directory)
    let code = try hub.accounts.createPairingCode(person: person.id)
    let url = try settings.url()
    let port = try settings.endpoint().port
    if console.isJSON {
      console.document(
        "trendyd.hub/1",
        [
          ("data", .string(hub.directory.path)), ("person", .string(person.name)), ("code", .string(code)),
          ("url", .string(url)),
        ])
    }
    console.done("Hub ready at \(hub.directory.path), for \(person.name).")
    console.done("Start it:  trendyd run --role hub")
    console.done("Then, on a device, within ten minutes:  trendy connect \(url ?? "http://NAME:\(port)") \(code)")
    if let hint = try settings.wildcardHint() { console.talk(hint) }
    return .done
  }

  /// Who may come in to the hub that is there.
  func people() throws(CommandError) -> HubPeople {
    try requireHub()
    return hubPeople
  }

  /// Makes a code for one more device.
  func pair() throws -> ExitCode {
    let person = try people().person(for: "trendyd pair")
    let code = try hub.accounts.createPairingCode(person: person.id)
    let settings = try settings()
    // A hub that runs may have been started with another port than what was kept.
    let port = try hub.servingPort() ?? settings.endpoint().port
    let url = try settings.url(port: port)
    if console.isJSON {
      console.document(
        "trendyd.pair/1",
        [("person", .string(person.name)), ("code", .string(code)), ("url", .string(url))])
    }
    console.done("Code for one device of \(person.name), for ten minutes: \(code)")
    console.done("On the device:  trendy connect \(url ?? "http://NAME:\(port)") \(code)")
    if let hint = try settings.wildcardHint() { console.talk(hint) }
    return .done
  }

  /// Tells what the agent of the store is doing.
  func status() throws(CommandError) -> ExitCode {
    try AgentStatusCommand(files: runtimeFiles, storeDirectory: storeDirectory, console: console).run()
  }

  private var runtimeFiles: RuntimeFiles {
    RuntimeFiles(
      storeDirectory: storeDirectory, environment: ProcessInfo.processInfo.environment, status: statusPath)
  }

  /// Serves, syncs, or both, until it is asked to end.
  func run() async throws -> ExitCode {
    if role != .agent { try requireHub() }
    return try await DaemonRun(
      role: role, settings: role == .agent ? HubSettings() : settings(), hubDirectory: hub.directory,
      storeDirectory: storeDirectory, receivers: receivers, files: runtimeFiles,
      notifier: isNotifying ? DesktopNotifier(environment: ProcessInfo.processInfo.environment) : nil,
      pollInterval: pollInterval, logPath: arguments.value("--log"), console: console
    ).run()
  }

  /// As kept by `hub init`, and what is said now instead.
  private func settings() throws(CommandError) -> HubSettings {
    try HubSettings.load(from: hub.directory).saidOver(by: arguments)
  }

  private func requireHub() throws(CommandError) {
    guard hub.exists else {
      throw CommandError(
        "There is no hub at \(hub.directory.path)", hint: "Make one: trendyd hub init", exit: .notFound)
    }
  }
}
