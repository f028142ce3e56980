import Synchronization
import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// What only a Trendy hub knows of: the devices of a person, and one telling another what goes on with it.
extension APIClient: CompanionClientProtocol {
  /// Whom the hub takes this device for.
  public func identity() async throws -> (person: String, deviceId: String) {
    let summary = try await hub.document(SyncSummary.self, HTTPRequest(method: .get, path: "/me/sync"))
    guard let device = summary.deviceId else {
      throw APIError.decodingError("\(address.name) does not say whose device this is")
    }
    return (summary.person, device)
  }

  /// The trips that go on, of devices that post to the hub.
  public func liveTrips() async throws -> LiveTripsResponse {
    try await hub.document(LiveTripsResponse.self, HTTPRequest(method: .get, path: "/me/live"))
  }

  /// How the hub found a trip or a visit in what a device posted there.
  /// - Throws: `APIError` with status 404 for one that it did not find.
  public func explanation(ofEvent id: String) async throws -> APIExplanation {
    try await hub.document(
      APIExplanation.self, HTTPRequest(method: .get, path: "/me/explanations/\(percentEncoded(id))"))
  }

  /// The person's devices that may come in.
  public func devices() async throws -> [APIDevice] {
    try await hub.document([APIDevice].self, HTTPRequest(method: .get, path: "/me/devices"))
  }

  public func companions() async throws -> [APICompanion] {
    try await hub.document([APICompanion].self, HTTPRequest(method: .get, path: "/companions"))
  }

  public func makeCompanion(deviceId: String) async throws -> APICompanion {
    try await makeCompanion(.tell(companionId: deviceId))
  }

  /// Makes this device a companion of another, which need not run anything that could ask for it.
  public func makeCompanion(ofDevice deviceId: String) async throws -> APICompanion {
    try await makeCompanion(.follow(trackerId: deviceId))
  }

  private func makeCompanion(_ request: CompanionRequest) async throws -> APICompanion {
    try await hub.document(
      APICompanion.self, HTTPRequest(method: .post, path: "/companions", body: try WireJSON.encode(request)))
  }

  /// Ends it, from either side. What was on its way is gone.
  public func removeCompanion(id: String) async throws {
    try await hub.delete("/companions/" + percentEncoded(id))
  }

  public func send(_ request: CompanionNoticesRequest, toCompanion id: String) async throws -> APICompanion {
    try await hub.document(
      APICompanion.self,
      HTTPRequest(
        method: .post, path: "/companions/\(percentEncoded(id))/notices", body: try WireJSON.encode(request)))
  }

  public func notices(ofCompanion id: String, after sequence: Int64, limit: Int) async throws
    -> CompanionNoticesResponse
  {
    try await hub.document(
      CompanionNoticesResponse.self,
      HTTPRequest(
        method: .get, path: "/companions/\(percentEncoded(id))/notices",
        query: [("after", "\(sequence)"), ("limit", "\(limit)")]))
  }

  /// A sign each time that something may be there for this device as a companion, the first as soon as the hub would tell of
  /// others; until the reader stops or the stream breaks.
  public func companionSignals() -> AsyncThrowingStream<Void, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      // Owned by the stream: whoever stops reading cancels it.
      let task = Task {
        do {
          let hasBegun = Mutex(false)
          try await readSignals { name, _ in
            // The head comes at once, and says that the stream stands.
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
