import AgentLink
import TrendyAgent
import AppContainer
import CommandSupport
import Foundation
import HubContainer
import Synchronization
import TrendyHub
import TrendyIngest
import TrendyInterchange
import TrendyModels
import TrendyProtocols

/// Receives positions from trackers that post to the agent, from gpsd and from NMEA devices.
struct Receivers {
  struct Sources: Sendable {
    /// Address to which trackers post. Port 0 selects any free port.
    var listen: (address: String, port: UInt16)?
    /// Listening socket inherited from the service manager, used instead of ``listen``.
    var listener: Int32?
    /// Additional host names that trackers may use in requests.
    var allowedHosts: [String] = []
    var gpsd: (host: String, port: String)?
    var nmea: (path: String, baud: Int?)?

    var isEmpty: Bool { listen == nil && gpsd == nil && nmea == nil }
  }

  let app: AppContainer
  let shared: SharedIntake
  let sources: Sources
  let console: Console
  let log: AccessLog?
  let onListening: @Sendable () -> Void
  private let teller: AgentNotifier

  init(
    app: AppContainer, shared: SharedIntake, sources: Sources, console: Console, log: AccessLog?,
    onListening: @escaping @Sendable () -> Void
  ) {
    self.onListening = onListening
    self.app = app
    self.shared = shared
    self.sources = sources
    self.console = console
    self.log = log
    teller = AgentNotifier(signal: app.agent, clock: app.clock)
  }

  func run() async throws {
    // Without sources or recorded positions, there is nothing to do until a command adds positions.
    while sources.isEmpty, !app.record.hasTracks { try await app.clock.sleep(for: .seconds(60)) }
    let intake = try await shared.make()
    try await withThrowingTaskGroup(of: Void.self) { group in
      if let (address, port) = sources.listen {
        group.addTask { try await serve(intake, address: address, port: port) }
      }
      if let (host, port) = sources.gpsd { group.addTask { try await listen(intake, gpsd: host, port: port) } }
      if let (path, baud) = sources.nmea { group.addTask { try await read(intake, nmea: path, baud: baud) } }
      group.addTask { try await tick(intake) }
      do {
        // `waitForAll()` would not throw a task's error until all other tasks have finished.
        for try await _ in group {}
      } catch is CancellationError {
        group.cancelAll()
      }
    }
  }

  /// Applies timeouts every minute, for example to end a trip after positions have stopped arriving.
  private func tick(_ intake: IntakeQueue) async throws {
    while true {
      do {
        let isChanged = try await intake.run { try $0.tick() }
        teller.tell(isChanged: isChanged, isUrgent: true)
      } catch {
        console.talk("Agent: cannot process received positions: \(error)", level: .error)
      }
      try await app.clock.sleep(for: .seconds(60))
    }
  }

  private func serve(_ intake: IntakeQueue, address: String, port: UInt16) async throws {
    let token = try ingestToken()
    let teller = teller
    let server = IngestServer(
      transport: SocketTransport(address: address, port: port, listener: sources.listener, clock: app.clock, log: log),
      token: token,
      ingest: AgentIngest(intake: intake, clock: app.clock) { teller.tell(isChanged: $0) },
      configuration: HubConfiguration(allowedHosts: sources.allowedHosts), clock: app.clock, log: log)
    let bound = try await server.start()
    let url = "http://\(address.contains(":") ? "[\(address)]" : address):\(bound)"
    console.talk("Agent: trackers can post to \(url) with the token in \(tokenFile.path)")
    onListening()
    // This stream never yields an element and ends when the task is cancelled.
    let (never, _) = AsyncStream.makeStream(of: Never.self)
    for await _ in never {}
    await server.stop()
  }

  /// Receives positions from gpsd, reconnecting with backoff whenever the connection is lost.
  private func listen(_ intake: IntakeQueue, gpsd host: String, port: String) async throws {
    var delay = Duration.seconds(1)
    while true {
      do throws(CommandError) {
        let source = try ByteSource(host: host, port: port, greeting: "?WATCH={\"enable\":true,\"json\":true};\n")
        console.talk("Agent: connected to gpsd at \(host):\(port).")
        delay = .seconds(1)
        await withTaskCancellationHandler {
          var lines = LineBuffer()
          for await piece in source.pieces {
            var batch = DeviceBatch()
            for line in lines.take(piece) {
              // Skip lines that are not position reports, such as gpsd's greeting.
              guard let report = try? DeviceRequest.gpsd(line) else { continue }
              batch.fixes += report.fixes
            }
            await take(batch, into: intake, device: "gpsd")
          }
        } onCancel: {
          source.close()
        }
        console.talk("Agent: gpsd at \(host):\(port) closed the connection.")
      } catch {
        if delay == .seconds(1) { console.talk("Agent: \(error.message)", level: .warning) }
      }
      try await app.clock.sleep(for: delay)
      delay = min(delay * 2, .seconds(60))
    }
  }

  /// Reads positions from an NMEA file or device. A file is read once, whereas a device is reopened after it was
  /// unplugged.
  private func read(_ intake: IntakeQueue, nmea path: String, baud: Int?) async throws {
    var isFirst = true
    while true {
      do throws(CommandError) {
        let source = try ByteSource(path: path, baud: baud)
        await withTaskCancellationHandler {
          var stream = NMEAStream()
          for await piece in source.pieces { await take(stream.take(piece), into: intake, device: "nmea") }
          await take(stream.finish(), into: intake, device: "nmea")
        } onCancel: {
          source.close()
        }
        if Self.isRegularFile(path) {
          console.talk("Agent: reached the end of \(path).")
          return
        }
      } catch {
        guard !isFirst else { throw error }
      }
      isFirst = false
      try await app.clock.sleep(for: .seconds(2))
    }
  }

  private func take(_ batch: DeviceBatch, into intake: IntakeQueue, device: String) async {
    guard !batch.fixes.isEmpty || batch.problemCount > 0 else { return }
    do {
      let taken = try await intake.run { try $0.take(batch, device: device) }
      for problem in taken.problems.prefix(3) { console.talk("Agent: \(device): \(problem)", level: .warning) }
      if taken.added > 0 { teller.tell(isChanged: taken.isRecordChanged) }
    } catch {
      console.talk("Agent: cannot save positions from \(device): \(error)", level: .error)
    }
  }

  private static func isRegularFile(_ path: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)  // a missing file is not regular
    return attributes?[.type] as? FileAttributeType == .typeRegular
  }

  // MARK: Token

  private var tokenFile: URL { app.storeDirectory.appending(path: "ingest-token") }

  /// Returns the token for trackers, creating it on first use. Only the store's owner can read the file.
  private func ingestToken() throws -> String {
    if let data = FileManager.default.contents(atPath: tokenFile.path) {
      let token = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      if token.utf8.count >= 16 { return token }
    }
    var generator = SystemRandomNumberGenerator()
    let token = (0..<4).map { _ in
      let digits = String(generator.next() as UInt64, radix: 36)
      return String(repeating: "0", count: 13 - digits.count) + digits
    }.joined()
    try OwnerOnlyFile.replace(tokenFile, with: Data((token + "\n").utf8))
    return token
  }
}

/// Notifies the agent after positions have been received.
///
/// Live status updates are sent immediately, but store changes at most every 15 s, because a phone that uploads stored
/// positions one by one would otherwise cause a notification for each position.
private final class AgentNotifier: Sendable {
  private struct State {
    /// Uptime when a change was last sent, or `nil` if none has been sent.
    var lastChange: Duration?
    /// Whether a change has not been sent yet.
    var isOwed = false
  }

  private let signal: AgentSignal
  private let clock: any TimeSource
  private let state = Mutex(State())

  init(signal: AgentSignal, clock: any TimeSource) {
    self.signal = signal
    self.clock = clock
  }

  /// Notifies the agent of new positions. `isChanged` means that they changed the store, and `isUrgent` sends a change
  /// even if the last one was sent less than 15 s ago.
  func tell(isChanged: Bool, isUrgent: Bool = false) {
    let now = clock.uptime
    let word: AgentSignal.Word = state.withLock { state in
      state.isOwed = state.isOwed || isChanged
      let isDue = isUrgent || state.lastChange.map { now - $0 >= .seconds(15) } ?? true
      guard state.isOwed, isDue else { return .told }
      state.isOwed = false
      state.lastChange = now
      return .changed
    }
    guard word == .changed || !isUrgent else { return }
    signal.send(word)
  }
}

private struct LineBuffer {
  private var rest: [UInt8] = []

  mutating func take(_ bytes: [UInt8]) -> [[UInt8]] {
    rest += bytes
    var lines: [[UInt8]] = []
    while let end = rest.firstIndex(of: 0xA) {
      lines.append(Array(rest[..<end]))
      rest.removeSubrange(...end)
    }
    // Discard a line of more than 1 MiB, because no valid report is that long.
    if rest.count > 1 << 20 { rest = [] }
    return lines
  }
}
