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
  private enum Role: String, CaseIterable {
    case agent
    case hub
    case both
  }

  private let role: Role
  private let address: String
  private let port: UInt16
  private let allowedHosts: [String]
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
    func endpoint(_ option: String, _ text: String) throws(CommandError) -> (address: String, port: UInt16) {
      guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
        throw invalid(option, "It looks like 127.0.0.1:8787.")
      }
      return (text[..<colon].trimmingCharacters(in: ["[", "]"]), port)
    }
    (address, port) = try endpoint("--listen", arguments.value("--listen") ?? "127.0.0.1:8787")
    guard let seconds = TimePhrase.seconds(arguments.value("--poll") ?? "1m"), (1...86_400).contains(seconds) else {
      throw invalid("--poll", "It is a duration from 1s to 1d.")
    }
    var receivers = Receivers.Sources()
    receivers.allowedHosts = arguments.all("--host")
    if let text = arguments.value("--ingest") { receivers.listen = try endpoint("--ingest", text) }
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
    allowedHosts = arguments.all("--host")
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
    let person = try hub.accounts.createPerson(
      name: personName ?? ProcessInfo.processInfo.environment["USER"] ?? "me")
    let code = try hub.accounts.createPairingCode(person: person.id)
    if console.isJSON {
      console.document(
        "trendyd.hub/1",
        [("data", .string(hub.directory.path)), ("person", .string(person.name)), ("code", .string(code))])
    }
    console.done("Hub ready at \(hub.directory.path), for \(person.name).")
    console.done("Start it:  trendyd run --role hub")
    console.done("Then, on a device, within ten minutes:  trendy connect http://\(address):\(port) \(code)")
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
    if console.isJSON {
      console.document("trendyd.pair/1", [("person", .string(person.name)), ("code", .string(code))])
    }
    console.done("Code for one device of \(person.name), for ten minutes: \(code)")
    console.done("On the device:  trendy connect http://\(address):\(port) \(code)")
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
    let log = HubLog()
    guard role != .agent else {
      let writer = Task { [console] in await log.write(to: console) }
      defer {
        log.finish()
        writer.cancel()
      }
      try await work(server: nil, log: log.log)
      return .done
    }
    try requireHub()
    let server = try await startHub(log: log.log)
    // Where it listens is said before what it was asked.
    let writer = Task { [console] in await log.write(to: console) }
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await work(server: server, log: log.log))
    } catch {
      outcome = .failure(error)
    }
    await server.stop()
    log.finish()
    await writer.value
    try outcome.get()
    return .done
  }

  /// Returns when the process is asked to end.
  private func work(server: HubServer?, log: @escaping AccessLog) async throws {
    let (console, role, store, pollInterval) = (console, role, storeDirectory, pollInterval)
    let (receivers, hub, files) = (receivers, hub, runtimeFiles)
    let notifier = isNotifying ? DesktopNotifier(environment: ProcessInfo.processInfo.environment) : nil
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await Signals.termination() }
      if let server {
        group.addTask { await tidy(server) }
        group.addTask { await maintain { try hub.maintainStorage() } }
      }
      if role != .hub {
        group.addTask {
          let network = NetworkContainer(app: try AppContainer(storeDirectory: store))
          try await withThrowingTaskGroup(of: Void.self) { agent in
            let intake = SharedIntake(app: network.app)
            agent.addTask {
              try await Agent(
                network: network, intake: intake, files: files, notifier: notifier, pollInterval: pollInterval,
                console: console
              ).run()
            }
            agent.addTask { await maintain { try network.app.maintainStore() } }
            // Also without a source: what the command line adds is looked through again when time has passed.
            agent.addTask {
              try await Receivers(
                app: network.app, shared: intake, sources: receivers, console: console, log: log
              ).run()
            }
            defer { agent.cancelAll() }
            // Not `waitForAll()`, which waits for the others when one has thrown.
            for try await _ in agent {}
          }
        }
      }
      if let server {
        group.addTask {
          while true {
            do {
              for person in try hub.erasePeople() { console.talk("Hub: everything of \(person.name) is erased.") }
            } catch {
              console.talk("Hub: who was removed could not be erased: \(error); it is tried again in a minute")
            }
            do {
              try await hub.ingest.tick(at: server)
            } catch {
              console.talk("Hub: what was posted could not be looked through: \(error)")
            }
            try await hub.clock.sleep(for: .seconds(60))
          }
        }
      }
      // The first to end is the asking; an agent that cannot go on throws and ends the rest.
      try await group.next()
      group.cancelAll()
    }
  }

  /// At the start and once a day: what was deleted long ago shrinks, a piece at a time.
  private func tidy(_ server: HubServer) async {
    while !Task.isCancelled {
      do {
        while try server.compact(), !Task.isCancelled { await Task.yield() }
      } catch {
        // Nobody waits for it, and nothing is lost by waiting for tomorrow.
        _ = console.report(CommandError(describingHub: error) ?? CommandError("\(error)", exit: .readWrite))
      }
      // Cancelled is seen by the loop.
      try? await hub.clock.sleep(for: .seconds(86_400))
    }
  }

  /// At the start and every minute: what was saved is made quick to open, a piece at a time.
  private func maintain(step: @Sendable () throws -> Bool) async {
    while !Task.isCancelled {
      do {
        while try step(), !Task.isCancelled { await Task.yield() }
      } catch {
        // Nothing is lost by waiting for the next minute; what stands in the way of saves too is said by those.
        _ = console.report(CommandError("\(error)", exit: .readWrite))
      }
      // Cancelled is seen by the loop.
      try? await hub.clock.sleep(for: .seconds(60))
    }
  }

  private func startHub(log: @escaping AccessLog) async throws -> HubServer {
    let server = hub.makeServer(address: address, port: port, allowedHosts: allowedHosts, log: log)
    let port = try await server.start()
    let url = "http://\(address.contains(":") ? "[\(address)]" : address):\(port)"
    if console.isJSON {
      console.document(
        "trendyd.run/1",
        [("role", .string(role.rawValue)), ("url", .string(url)), ("data", .string(hub.directory.path))])
    }
    console.done("Hub listens at \(url); its data is in \(hub.directory.path).")
    console.done("Is it well?  curl \(url)/api/v1/health")
    console.done("One more device:  trendyd pair\(self.port == 8787 ? "" : "   then: trendy connect \(url) CODE")")
    return server
  }

  private func requireHub() throws(CommandError) {
    guard hub.exists else {
      throw CommandError(
        "There is no hub at \(hub.directory.path)", hint: "Make one: trendyd hub init", exit: .notFound)
    }
  }
}
