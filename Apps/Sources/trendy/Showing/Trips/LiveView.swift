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
import TrendyAgent
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// Output of `trendy trip show --live`, which follows the running trip until interrupted.
struct LiveView {
  let session: Session

  func run() throws -> ExitCode {
    guard DeviceRecord.exists(at: session.storeDirectory) else {
      throw CommandError.noStore(at: session.storeDirectory.path)
    }
    let files = RuntimeFiles(storeDirectory: session.storeDirectory, environment: Environment.all)
    guard let agent = AgentConnection(files, asking: .live), var text = agent.next() else { return try withoutAgent() }
    let screen = Screen(isInPlace: session.console.format == .text && isatty(STDOUT_FILENO) == 1 && !Screen.isDumb)
    var last: AgentStatus.LiveTrip??
    while true {
      let status = AgentConnection.members(of: text)
      let trip = status?["trip"].flatMap { AgentStatus.LiveTrip($0) }
      if last != .some(trip) { show(trip, on: screen) }
      last = .some(trip)
      guard status?["state"]?.stringValue == "running", let next = agent.next() else { break }
      text = next
    }
    screen.end()
    throw CommandError("The agent has stopped", hint: "Start it again: trendyd run", exit: .unreachable)
  }

  /// Prints the running trip once, from recorded positions and the hub.
  private func withoutAgent() throws -> ExitCode {
    let app = try session.openStore()
    var known = try DetectedTrip.recorded(in: app, session).map { (trip: $0, source: Source.store) }
    var failure: CommandError?
    var source = Source.store
    if let account = try app.accountFile.load() {
      do throws(CommandError) {
        let live = try hubTrips(of: account)
        source = .hub(account.hubName)
        known += live.trips.map { (AgentStatus.LiveTrip($0, now: live.now), source) }
      } catch {
        failure = error
      }
    }
    // If there are several running trips, show the one with the most recent position.
    let shown = known.max { ($0.trip.fixedAt ?? .distantPast) < ($1.trip.fixedAt ?? .distantPast) }
    // Report the error only if no trip is known. Another device may have a running trip that only the hub knows.
    if shown == nil, let failure { throw failure }
    source = shown?.source ?? source
    if let failure { session.console.talk("The hub did not respond: \(failure.message).") }
    let age =
      shown?.trip.fixedAt.map { " \(DurationPhrase.words(max(0, session.now.timeIntervalSince($0)))) ago" } ?? ""
    let sender = shown?.trip.device.map { " from \($0)" } ?? ""
    session.console.talk(
      "No agent is running, so this view does not update. Last known state\(sender), according to \(source.words)\(age). "
        + "Start an agent: trendyd run")
    show(shown?.trip, on: Screen(isInPlace: false), from: source)
    return .done
  }

  private enum Source {
    case agent
    case store
    case hub(String)

    var name: String {
      switch self {
      case .agent: "agent"
      case .store: "store"
      case .hub: "hub"
      }
    }

    var hub: String? { if case .hub(let name) = self { name } else { nil } }

    var words: String {
      switch self {
      case .agent: "the agent"
      case .store: "this store"
      case .hub(let name): "the hub \(name)"
      }
    }
  }

  private func hubTrips(of account: Account) throws(CommandError) -> LiveTripsResponse {
    let answer: JSONValue
    do {
      answer = try NetworkProgram.answer(to: ["live", "--store", session.storeDirectory.path])
      if let error = answer.objectValue?["error"]?.objectValue {
        throw CommandError(
          error["message"]?.stringValue ?? "No response", hint: error["hint"]?.stringValue,
          exit: error["exit"]?.intValue.flatMap { ExitCode(rawValue: Int32($0)) } ?? .unreachable)
      }
      return try WireJSON.decode(LiveTripsResponse.self, from: WireJSON.encode(answer))
    } catch let error as CommandError {
      throw error
    } catch {
      throw CommandError(
        "Unknown response from \(account.hubName): \(error)", hint: "Update trendy or the hub.", exit: .version)
    }
  }

  private func show(_ trip: AgentStatus.LiveTrip?, on screen: Screen, from source: Source = .agent) {
    let now = SystemTime().now
    switch session.console.format {
    case .json, .ndjson:
      session.console.document(
        "trendy.live/1",
        [
          ("time", .string(session.local.rfc3339(now))), ("source", .string(source.name)), ("hub", .string(source.hub)),
          ("trip", trip?.json(in: session.local) ?? .null),
        ])
    case .plain:
      session.console.row([
        trip?.state.rawValue ?? "", trip.map { "\(Int($0.elapsed.rounded()))" } ?? "",
        trip.map { "\(Int($0.distance.rounded()))" } ?? "", trip?.speed.map { "\(JSONText.number($0))" } ?? "",
        trip?.mode.rawValue ?? "", trip?.vehicle ?? "",
      ])
    case .text:
      screen.show(
        trip.map { LiveText.line($0, now: now, in: session.local, session.units) } ?? "No trip is running.",
        session.console)
    }
  }
}

/// Output that overwrites a single line of the terminal, or prints a new line for each change if it cannot.
private struct Screen {
  let isInPlace: Bool

  static var isDumb: Bool { Environment.all["TERM"] ?? "dumb" == "dumb" }

  init(isInPlace: Bool) {
    self.isInPlace = isInPlace
    // Print a newline on Ctrl-C, so that the shell prompt starts on a new line.
    for number in [SIGINT, SIGTERM] {
      guard isInPlace else {
        signal(number) { _ in _exit(ExitCode.interrupted.rawValue) }
        continue
      }
      signal(number) { _ in
        let end: StaticString = "\n"
        _ = write(STDOUT_FILENO, end.utf8Start, end.utf8CodeUnitCount)
        _exit(ExitCode.interrupted.rawValue)
      }
    }
  }

  func show(_ line: String, _ console: Console) {
    guard isInPlace else { return console.text(line) }
    // Cut to the terminal width, because a wrapped line cannot be overwritten.
    var size = winsize()
    let width = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 1 ? Int(size.ws_col) - 1 : 79
    let text = String(
      line.filter { !$0.unicodeScalars.contains(where: \.isTerminalControl) }.prefix(width))
    console.raw("\r\(text)\u{1B}[K")
  }

  func end() {
    if isInPlace { _ = write(STDOUT_FILENO, "\n", 1) }
  }
}
