import AppContainer
import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// `trendy trip show --live`: the trip that goes on, as it goes on.
struct LiveCommand {
  let session: Session

  func run() throws -> ExitCode {
    guard AppContainer.storeExists(at: session.storeDirectory) else {
      throw CommandError.noStore(at: session.storeDirectory.path)
    }
    let files = RuntimeFiles(storeDirectory: session.storeDirectory, environment: Environment.all)
    guard let agent = AgentConnection(files, asking: .live), var text = agent.next() else { return try withoutAgent() }
    let screen = Screen(isInPlace: session.console.format == .text && isatty(STDOUT_FILENO) == 1 && !Screen.isDumb)
    var last: AgentStatus.LiveTrip??
    while true {
      let status = (try? WireJSON.decode(JSONValue.self, from: Data(text.utf8)))?.objectValue  // else nothing to show
      let trip = status?["trip"].flatMap { AgentStatus.LiveTrip($0) }
      if last != .some(trip) { show(trip, on: screen) }
      last = .some(trip)
      guard status?["state"]?.stringValue == "running", let next = agent.next() else { break }
      text = next
    }
    screen.end()
    throw CommandError("The agent has ended", hint: "Start it again: trendyd run", exit: .unreachable)
  }

  /// What the readings say that are kept here, once.
  private func withoutAgent() throws -> ExitCode {
    session.console.talk(
      "No agent runs: this is what was told up to now, and nothing will follow. Start one: trendyd run")
    let app = try session.openStore()
    var trip: AgentStatus.LiveTrip?
    if app.hasTracks {
      let open = try app.makeTrackIntake().presences().filter { $0.trip != nil }
        .max { ($0.lastFix?.timestamp ?? .distantPast) < ($1.lastFix?.timestamp ?? .distantPast) }
      trip = open.flatMap { AgentStatus.LiveTrip($0, now: session.now) }
    }
    show(trip, on: Screen(isInPlace: false))
    return .done
  }

  private func show(_ trip: AgentStatus.LiveTrip?, on screen: Screen) {
    let now = SystemTime().now
    switch session.console.format {
    case .json, .ndjson:
      session.console.document(
        "trendy.live/1",
        [("time", .string(session.local.rfc3339(now))), ("trip", trip?.json(in: session.local) ?? .null)])
    case .plain:
      session.console.row([
        trip?.state.rawValue ?? "", trip.map { "\(Int($0.elapsed.rounded()))" } ?? "",
        trip.map { "\(Int($0.distance.rounded()))" } ?? "", trip?.speed.map { "\(JSONText.number($0))" } ?? "",
        trip?.mode.rawValue ?? "", trip?.vehicle ?? "",
      ])
    case .text:
      screen.show(trip.map { LiveText.line($0, now: now, in: session.local) } ?? "No trip goes on.", session.console)
    }
  }
}

/// The line of a terminal that is written over, or else a line for each change.
private struct Screen {
  let isInPlace: Bool

  static var isDumb: Bool { Environment.all["TERM"] ?? "dumb" == "dumb" }

  init(isInPlace: Bool) {
    self.isInPlace = isInPlace
    // Whoever interrupts gets their prompt on a line of its own. Nothing else of the terminal is changed.
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
    // A line that breaks could not be written over.
    var size = winsize()
    let width = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 1 ? Int(size.ws_col) - 1 : 79
    let text = String(
      line.filter { $0.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } }.prefix(width))
    console.raw("\r\(text)\u{1B}[K")
  }

  func end() {
    if isInPlace { _ = write(STDOUT_FILENO, "\n", 1) }
  }
}
