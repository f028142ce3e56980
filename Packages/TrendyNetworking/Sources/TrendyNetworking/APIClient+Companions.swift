import Synchronization
import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

// MARK: Companions and live trips, which only a Trendy hub offers
extension APIClient: CompanionClientProtocol {
  /// Returns the user and the device id that belong to the token.
  public func identity() async throws -> (user: String, deviceId: String) {
    let summary = try await hub.document(SyncSummary.self, HTTPRequest(method: .get, path: "/me/sync"))
    guard let device = summary.deviceId else {
      throw APIError.decodingError("\(address.name) sent no device id")
    }
    return (summary.user, device)
  }

  /// Returns the current trips of all trackers that post to the hub.
  public func liveTrips() async throws -> LiveTripsResponse {
    try await hub.document(LiveTripsResponse.self, HTTPRequest(method: .get, path: "/me/live"))
  }

  /// Returns the decisions behind a trip or visit that the hub detected in posted readings.
  ///
  /// - Throws: `APIError` with status 404 if the event was not detected by the hub.
  public func explanation(ofEvent id: String) async throws -> APIExplanation {
    try await hub.document(
      APIExplanation.self, HTTPRequest(method: .get, path: "/me/explanations/\(percentEncoded(id))"))
  }

  /// Returns the user's paired devices.
  public func devices() async throws -> [APIDevice] {
    try await hub.document([APIDevice].self, HTTPRequest(method: .get, path: "/me/devices"))
  }

  /// Returns the companion links of this device, in both directions.
  public func companions() async throws -> [APICompanion] {
    try await hub.document([APICompanion].self, HTTPRequest(method: .get, path: "/companions"))
  }

  /// Makes another device a companion of this device.
  public func makeCompanion(deviceId: String) async throws -> APICompanion {
    try await makeCompanion(.tell(companionId: deviceId))
  }

  /// Makes this device a companion of another device, which need not run Trendy. A tracker is enough.
  public func makeCompanion(ofDevice deviceId: String) async throws -> APICompanion {
    try await makeCompanion(.follow(trackerId: deviceId))
  }

  private func makeCompanion(_ request: CompanionRequest) async throws -> APICompanion {
    try await hub.document(
      APICompanion.self, HTTPRequest(method: .post, path: "/companions", body: try WireJSON.encode(request)))
  }

  /// Removes a companion link from either side. Notices in transit are discarded.
  public func removeCompanion(id: String) async throws {
    try await hub.delete("/companions/" + percentEncoded(id))
  }

  /// Sends notices to a companion and returns the updated link.
  public func send(_ request: CompanionNoticesRequest, toCompanion id: String) async throws -> APICompanion {
    try await hub.document(
      APICompanion.self,
      HTTPRequest(
        method: .post, path: "/companions/\(percentEncoded(id))/notices", body: try WireJSON.encode(request)))
  }

  /// Returns up to `limit` notices for this device with a sequence number above `sequence`, and acknowledges all
  /// earlier notices.
  public func notices(ofCompanion id: String, after sequence: Int64, limit: Int) async throws
    -> CompanionNoticesResponse
  {
    try await hub.document(
      CompanionNoticesResponse.self,
      HTTPRequest(
        method: .get, path: "/companions/\(percentEncoded(id))/notices",
        query: [("after", "\(sequence)"), ("limit", "\(limit)")]))
  }

  /// Returns a stream of signals that notices for this device may be available. The first signal means that the hub has
  /// accepted the stream. The stream ends when the reader stops, and throws if the connection breaks.
  public func companionSignals() -> AsyncThrowingStream<Void, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      // The stream owns the task and cancels it when the reader stops.
      let task = Task {
        do {
          let hasBegun = Mutex(false)
          try await readSignals { name, _ in
            // The hub sends the head immediately, so the first event means that the stream is open.
            let isFirst = hasBegun.withLock { hasBegun in
              defer { hasBegun = true }
              return !hasBegun
            }
            if name == "companion" || isFirst { continuation.yield() }
          }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
