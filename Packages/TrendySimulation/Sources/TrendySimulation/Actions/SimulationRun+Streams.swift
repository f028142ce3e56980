import Foundation
import TrendyHub
import TrendyModels
import TrendyTesting

// MARK: Signal streams of several hubs, whose hints to each other may be lost, late or repeated
extension SimulationRun {
  /// Maximum time until a hub without hints polls for changes.
  private static let longestUnheard: Duration = .seconds(12)

  /// Checks that every stream reports the current head, even without hints, and never a wrong head.
  func checkStreams() async {
    guard let database = hub.database else { return }
    database.hints.onFault = { [unowned self] in count($0) }
    var streams: [SimulatedStream] = []
    for server in hub.servers {
      do { try server.listen() } catch { ledger.report(nil, "a hub cannot listen after the last fault: \(error)") }
      let request = HTTPRequest(
        id: "stream", method: "GET", target: "/api/v1/changes/stream",
        headers: HTTPHeaders([("Authorization", "Bearer \(hub.tokens[0])")]), body: Data())
      guard case .stream(let body) = await server.handle(request).body else {
        ledger.report(.savedDataIsDurable, "a hub opens no stream after the last fault")
        continue
      }
      let stream = SimulatedStream()
      stream.task = Task(executorPreference: executor) {
        // A closed stream is detected by its missing heads.
        while let piece = try? await body.next() { stream.onPiece(piece) }
      }
      streams.append(stream)
    }
    for number in 0..<Self.streamedWrites {
      _ = await plainRequest(
        "POST", "/event-types",
        ["id": .string("streamed-\(number)"), "name": "streamed", "color": "#000000", "icon": "ear"])
      await clock.advance(by: .milliseconds(700 * number))
      for head in streams.compactMap(\.head) where head > hub.head ?? 0 {
        ledger.report(.quietAfterFaults, "the stream of a hub reports head \(head) instead of \(hub.head ?? 0)")
      }
    }
    await clock.advance(by: Self.longestUnheard)
    for (place, stream) in streams.enumerated() where stream.head != hub.head {
      ledger.report(
        .quietAfterFaults,
        "the stream of hub \(place + 1) reports head \(stream.head ?? 0) instead of \(hub.head ?? 0) for "
          + "\(Self.longestUnheard.components.seconds) s")
    }
    for server in hub.servers { await server.stop() }
    for stream in streams { await stream.task?.value }
  }

  private static let streamedWrites = 4
}

/// Last head of a stream.
///
/// @unchecked: used only by the jobs of one scenario, which run one at a time on one executor.
private final class SimulatedStream: @unchecked Sendable {
  private(set) var head: Int64?
  var task: Task<Void, Never>?

  func onPiece(_ piece: Data) {
    for line in String(decoding: piece, as: UTF8.self).split(separator: "\n") {
      guard let text = line.split(separator: "\"cursor\":").last, line.hasPrefix("data: {\"cursor\"") else { continue }
      head = Int64(text.prefix { $0.isNumber })
    }
  }
}
