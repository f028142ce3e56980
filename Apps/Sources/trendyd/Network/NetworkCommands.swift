import AgentLink
import AppContainer
import CommandSupport
import Foundation
import NetworkContainer
import TrendyAgent
import TrendyModels

/// Commands of `trendy` that need the network. `trendy` runs `trendyd network` with its own arguments.
enum NetworkCommands {
  static func main(_ words: [String]) async -> Never {
    var console = Console(
      format: words.contains("--json") ? .json : words.contains("--ndjson") ? .ndjson : .text,
      isQuiet: words.contains("--quiet") || words.contains("-q"))
    let environment = ProcessInfo.processInfo.environment
    console.terminal = Terminal.ofStandardOutput(
      environment: environment, settings: Settings(environment: environment))
    do {
      exit(console.ending(try await run(words, console: console)).rawValue)
    } catch {
      exit(console.report(CommandError(describingNetwork: error)).rawValue)
    }
  }

  static var unknown: CommandError {
    CommandError(
      "'trendyd network' is for internal use by trendy", hint: "Use 'trendy connect' or 'trendy sync'.", exit: .usage)
  }

  /// Parses the URL and pairing code for `trendy connect`, given as two arguments or as a link.
  private static func offer(_ words: [String]) -> PairingLink? {
    switch words.count {
    case 2: PairingLink(words[1])
    case 3: PairingLink(hub: words[1], code: words[2])
    default: nil
    }
  }

  private static func run(_ words: [String], console: Console) async throws -> ExitCode {
    try CommandLine.checkEncoding()
    let arguments = try Arguments(
      words,
      options: GlobalOptions.all + ConnectOptions.all + RepairOptions.all
        + [OptionSpec("--repair", help: "compare: repair differences")],
      usage: "trendy connect <url> <code> | trendy sync")
    let settings = Settings(environment: ProcessInfo.processInfo.environment)
    try settings.check()
    let directory = StoreLocation.store(option: arguments.value("--store"), settings: settings)
    switch arguments.positionals.first {
    case "connect":
      guard let offer = offer(arguments.positionals) else {
        throw unknown
      }
      let (network, account) = try await NetworkContainer.connect(
        storeDirectory: directory, hub: offer.hub, code: offer.code,
        deviceName: arguments.value("--name") ?? ProcessInfo.processInfo.hostName,
        allowsInsecureHTTP: arguments.has("--insecure"), isRebuilding: arguments.has("--rebuild"))
      console.done("Paired with \(account.hubName).")
      return try await SyncRound(network: network, console: console).run()
    case "sync", "compare":
      guard DeviceRecord.exists(at: directory) else {
        throw CommandError.noStore(at: directory.path)
      }
      let round = SyncRound(
        network: NetworkContainer(app: try AppContainer(storeDirectory: directory)), console: console)
      switch arguments.positionals {
      case ["sync", "repair"]: return try await Repair(round: round, arguments: arguments).run()
      case ["compare"]: return try await Repair(round: round, arguments: arguments).compare()
      default: return try await round.run()
      }
    case "live":
      guard DeviceRecord.exists(at: directory) else { throw CommandError.noStore(at: directory.path) }
      let network = NetworkContainer(app: try AppContainer(storeDirectory: directory))
      let account = try SyncRound(network: network, console: console).account()
      let live = try await network.liveTrips(for: account)
      console.data(String(decoding: try WireJSON.encode(live), as: UTF8.self))
      return .done
    case "explain" where arguments.positionals.count == 2:
      guard DeviceRecord.exists(at: directory) else { throw CommandError.noStore(at: directory.path) }
      let network = NetworkContainer(app: try AppContainer(storeDirectory: directory))
      let account = try SyncRound(network: network, console: console).account()
      do {
        let found = try await network.explanation(ofEvent: arguments.positionals[1], for: account)
        console.data(String(decoding: try WireJSON.encode(found), as: UTF8.self))
      } catch let error as APIError where error.statusCode == 404 {
        // The hub has no explanation for this event either.
        console.data("{}")
      }
      return .done
    case "companion":
      guard DeviceRecord.exists(at: directory) else { throw CommandError.noStore(at: directory.path) }
      let network = NetworkContainer(app: try AppContainer(storeDirectory: directory))
      guard let account = try network.app.accountFile.load() else {
        throw CommandError(
          "This store is not connected to a hub",
          hint: "Connect it with the code of 'trendyd pair': trendy connect URL CODE",
          exit: .configuration)
      }
      return try await Companions(network: network, account: account, console: console)
        .run(Array(arguments.positionals.dropFirst()))
    default:
      throw unknown
    }
  }
}
