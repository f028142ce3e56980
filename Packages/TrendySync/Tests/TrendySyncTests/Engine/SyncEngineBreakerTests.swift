import Testing
import TrendyModels
import TrendySync
import TrendyTesting

@Suite("SyncEngine and rate limits", .timeLimit(.minutes(10)))
struct SyncEngineBreakerTests {
  private func device(rateLimits: Int, error: APIError = rateLimit) throws -> Device {
    let device = Device()
    device.seedType()
    try device.record(events: 1)
    device.network.createEventsBatchResponses = Array(repeating: .failure(error), count: rateLimits)
    return device
  }

  private func openBreaker(_ device: Device) async {
    for _ in 1...3 { await device.engine.performSync() }
  }

  @Test func `three rate limits in a row open the breaker`() async throws {
    let device = try device(rateLimits: 3)
    await device.engine.performSync()
    await device.engine.performSync()
    #expect(await device.engine.circuitBreakerState == .closed)
    #expect(await device.engine.circuitBreakerBackoffRemaining == .zero)
    await device.engine.performSync()
    #expect(await device.engine.circuitBreakerState == .open)
    #expect(await device.engine.isCircuitBreakerTripped)
    #expect(await device.engine.state == .rateLimited(retryAfter: .seconds(30), pending: 1))
  }

  @Test func `successful pulls do not reset the count while changes are pending`() async throws {
    let device = try device(rateLimits: 3)
    await openBreaker(device)
    #expect(device.network.getChangesCalls.count == 3)
    #expect(await device.engine.circuitBreakerState == .open)
  }

  @Test func `a successful push resets the count`() async throws {
    let device = try device(rateLimits: 2)
    await device.engine.performSync()
    await device.engine.performSync()
    await device.engine.performSync()
    try device.recorder.edit(eventId: newEventId(0)) { $0.notes = "again" }
    device.network.updateEventResponses = [.failure(rateLimit), .failure(rateLimit)]
    await device.engine.performSync()
    await device.engine.performSync()
    #expect(await device.engine.circuitBreakerState == .closed)
  }

  @Test func `a successful pull resets the count when nothing is pending`() async {
    let device = Device()
    device.network.getChangesResponses = [.failure(rateLimit), .failure(rateLimit)]
    for _ in 1...3 { await device.engine.performSync() }
    device.network.getChangesResponses = [.failure(rateLimit), .failure(rateLimit)]
    for _ in 1...2 { await device.engine.performSync() }
    #expect(await device.engine.circuitBreakerState == .closed)
  }

  @Test(
    "failures other than rate limits do not open the breaker",
    arguments: [APIError.httpError(503), .networkError("no route")])
  func otherFailures(error: APIError) async throws {
    let device = try device(rateLimits: 5, error: error)
    for _ in 1...5 { await device.engine.performSync() }
    #expect(await device.engine.circuitBreakerState == .closed)
    #expect(device.batchSizes == [1, 1, 1, 1, 1])
  }

  @Test func `a rate-limited health check counts as a rate limit`() async throws {
    let device = try device(rateLimits: 0)
    device.network.errorToThrow = rateLimit
    await openBreaker(device)
    #expect(await device.engine.circuitBreakerState == .open)
    #expect(device.batchSizes.isEmpty)
  }

  @Test func `the breaker opens for 30, 60, 120, 240 and then 300 seconds`() async throws {
    let device = try device(rateLimits: 9)
    await openBreaker(device)
    for seconds in [30, 60, 120, 240, 300, 300] {
      #expect(await device.engine.circuitBreakerBackoffRemaining == .seconds(seconds))
      await device.clock.advance(by: .seconds(seconds) - .nanoseconds(1))
      #expect(await device.engine.circuitBreakerState == .open)
      await device.clock.advance(by: .nanoseconds(1))
      #expect(await device.engine.circuitBreakerState == .halfOpen)
      await device.engine.performSync()
    }
  }

  @Test func `the breaker stays open as long as the hub requests`() async throws {
    let device = try device(rateLimits: 3, error: rateLimit(retryAfter: .seconds(77)))
    await device.engine.performSync()
    #expect(await device.engine.state == .rateLimited(retryAfter: .seconds(77), pending: 1))
    await device.engine.performSync()
    await device.engine.performSync()
    #expect(await device.engine.circuitBreakerBackoffRemaining == .seconds(77))
  }

  @Test func `an open breaker stops pushes but not pulls`() async throws {
    let device = try device(rateLimits: 3)
    await openBreaker(device)
    let pulls = device.network.getChangesCalls.count
    device.setFeed([APIModelFixture.makeChangeEntry(id: 11, entityType: "geofence", entityId: "geo-1")], next: 11)
    await device.clock.advance(by: .seconds(29))
    await device.engine.performSync()
    #expect(device.batchSizes.count == 3)
    #expect(device.network.getChangesCalls.count == pulls + 1)
    #expect(device.store.storedGeofences["geo-1"] != nil)
    #expect(await device.engine.state == .rateLimited(retryAfter: .seconds(1), pending: 1))
  }

  @Test func `a half-open breaker allows one batch and ends the round if it is refused`() async throws {
    let device = try device(rateLimits: 4)
    await openBreaker(device)
    await device.clock.advance(by: .seconds(30))
    let before = device.network.operations.count
    await device.engine.performSync()
    #expect(Array(device.network.operations.dropFirst(before)) == [.createEventsBatch])
    #expect(await device.engine.circuitBreakerState == .open)
    #expect(await device.engine.circuitBreakerBackoffRemaining == .seconds(60))
  }

  @Test func `with nothing pending, a half-open breaker allows one pull`() async throws {
    let device = Device()
    device.network.getChangesResponses = Array(repeating: .failure(rateLimit), count: 4)
    await openBreaker(device)
    #expect(await device.engine.circuitBreakerState == .open)
    await device.clock.advance(by: .seconds(30))
    let before = device.network.operations.count
    await device.engine.performSync()
    #expect(Array(device.network.operations.dropFirst(before)) == [.getChanges])
    #expect(await device.engine.circuitBreakerBackoffRemaining == .seconds(60))
    await device.clock.advance(by: .seconds(60))
    await device.engine.performSync()
    #expect(await device.engine.circuitBreakerState == .closed)
    #expect(await device.engine.state == .idle)
  }

  @Test func `a successful probe closes the breaker, sends the rest and resets the escalation`() async throws {
    let device = try device(rateLimits: 4)
    await openBreaker(device)
    await device.clock.advance(by: .seconds(30))
    await device.engine.performSync()
    await device.clock.advance(by: .seconds(60))
    await device.engine.performSync()
    #expect(await device.engine.circuitBreakerState == .closed)
    #expect(await device.engine.pendingCount == 0)
    #expect(await device.engine.state == .idle)
    try device.recorder.record(EventFixture.makeEvent(id: "evt-later"))
    device.network.createEventsBatchResponses = Array(repeating: .failure(rateLimit), count: 3)
    await openBreaker(device)
    #expect(await device.engine.circuitBreakerBackoffRemaining == .seconds(30))
  }

  @Test func `a manual reset lets the next round push and keeps the escalation`() async throws {
    let device = try device(rateLimits: 6)
    await openBreaker(device)
    await device.engine.resetCircuitBreaker()
    #expect(await device.engine.circuitBreakerState == .closed)
    await device.engine.performSync()
    #expect(device.batchSizes.count == 4)
    await device.engine.performSync()
    await device.engine.performSync()
    #expect(await device.engine.circuitBreakerBackoffRemaining == .seconds(60))
  }

  @Test func `rate limits do not count as attempts of a mutation`() async throws {
    let device = try device(rateLimits: 3)
    await openBreaker(device)
    let mutation = try #require(device.store.storedPendingMutations.first)
    #expect(mutation.attempts == 0 && mutation.lastError == nil)
  }
}
