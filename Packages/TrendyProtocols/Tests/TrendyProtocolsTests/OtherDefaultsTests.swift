import Testing
import TrendyModels
import TrendyProtocols

@Suite("Other defaults of network clients", .timeLimit(.minutes(10)))
struct OtherDefaultsTests {
  @Test func `a snapshot requests the cursor first, then the lists and the definitions of each type`() async throws {
    let client = ScriptedClient()
    let snapshot = try await client.snapshot()
    #expect(
      client.calls == [
        "getLatestCursor", "getEventTypes", "getPropertyDefinitions t1", "getPropertyDefinitions t2",
        "getAllEvents 500", "getGeofences false",
      ])
    #expect(snapshot.cursor == 42)
    #expect(snapshot.eventTypes.map(\.id) == ["t1", "t2"])
    #expect(snapshot.events.map(\.id) == ["e1"])
    #expect(snapshot.geofences.map(\.id) == ["g1"])
    #expect(snapshot.propertyDefinitions.map(\.id) == ["p-t1", "p-t2"])
  }

  @Test(
    "a snapshot with a failed request throws",
    arguments: ["getLatestCursor", "getEventTypes", "getPropertyDefinitions t2", "getAllEvents", "getGeofences"])
  func snapshotFails(call: String) async {
    let client = ScriptedClient(failing: { $0.hasPrefix(call) ? APIError.httpError(500) : nil })
    await #expect(throws: APIError.httpError(500)) { try await client.snapshot() }
  }

  @Test func `a health check requests the event types and throws their error`() async throws {
    let healthy = ScriptedClient()
    try await healthy.checkHealth()
    #expect(healthy.calls == ["getEventTypes"])
    let ill = ScriptedClient(failing: { _ in APIError.httpError(401) })
    await #expect(throws: APIError.httpError(401)) { try await ill.checkHealth() }
  }

  @Test func `the default stream of change signals ends immediately`() async throws {
    var heads: [Int64] = []
    for try await head in ScriptedClient().changeSignals() { heads.append(head) }
    #expect(heads.isEmpty)
  }
}
