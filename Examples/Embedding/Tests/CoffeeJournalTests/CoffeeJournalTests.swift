import CoffeeJournal
import Foundation
import Testing
import TrendyModels
import TrendySync
import TrendyTesting

@Suite("CoffeeJournal", .timeLimit(.minutes(10)))
struct CoffeeJournalTests {
  private let network = MockNetworkClient()
  private let stores = MockDataStoreFactory()
  private let clock = ManualClock()
  private let journal: CoffeeJournal

  init() {
    // The device has synced before. Without a cursor, the first sync would load a snapshot from the hub.
    stores.mockStore.storedSyncCursor = 1
    journal = CoffeeJournal(client: network, stores: stores, clock: clock, generator: SeededGenerator(seed: 1))
  }

  private var today: Date { DeterministicDate.jan1_2024 }

  @Test func `a coffee counts immediately without a network`() async throws {
    network.errorToThrow = APIError.networkError("no route")
    try await journal.drink("flat white")
    try await journal.drink("espresso", cups: 2)
    #expect(try await journal.cups(since: today) == 3)
    #expect(network.operations.isEmpty, "recording asks nobody")
    #expect(await journal.waiting() == 3, "the type and two coffees")
  }

  @MainActor @Test func `the list shows a coffee when it is recorded, and when it is taken back`() async throws {
    let coffees = CoffeeJournal.recentCoffees()
    let following = Task { await coffees.follow(journal.stores) }
    let coffee = try await journal.drink("flat white")
    while coffees.value.map(\.id) != [coffee.id] { await Task.yield() }
    try await journal.takeBack(coffee)
    while !coffees.value.isEmpty { await Task.yield() }
    following.cancel()
    await following.value
    #expect(coffees.error == nil)
  }

  @Test func `a coffee recorded offline is sent once when the hub answers`() async throws {
    network.errorToThrow = APIError.networkError("no route")
    let coffee = try await journal.drink("flat white")
    guard case .error = await journal.sync() else {
      Issue.record("a round without a network says so")
      return
    }
    #expect(await journal.waiting() == 2, "nothing is lost")

    network.reset()
    #expect(await journal.sync() == .idle)
    await journal.sync()
    #expect(network.createEventTypeWithIdempotencyCalls.map(\.request.id) == [CoffeeJournal.coffeeTypeId])
    #expect(network.createEventsBatchCalls.map { $0.events.map(\.id) } == [[coffee.id]])
    #expect(await journal.waiting() == 0)
    #expect(try await journal.cups(since: today) == 1)
  }

  @Test func `a correction before sending is sent with the coffee, and a later one sends only its field`() async throws
  {
    let coffee = try await journal.drink("espresso")
    try await journal.correct(coffee, cups: 2)
    await journal.sync()
    #expect(network.createEventsBatchCalls.first?.events.first?.properties["cups"]?.value == 2)
    #expect(network.updateEventCalls.isEmpty)

    try await journal.correct(coffee, cups: 3)
    await journal.sync()
    let update = try #require(network.updateEventCalls.first)
    #expect(update.id == coffee.id)
    #expect(update.request == UpdateEventRequest(properties: ["cups": APIPropertyValue(type: "number", value: 3)]))
    #expect(try await journal.cups(since: today) == 3)
  }

  @Test func `a coffee deleted before it was sent never leaves the device`() async throws {
    let coffee = try await journal.drink("decaf")
    try await journal.takeBack(coffee)
    await journal.sync()
    #expect(network.createEventsBatchCalls.isEmpty)
    #expect(network.deleteEventCalls.isEmpty)
    #expect(try await journal.cups(since: today) == 0)
  }

  @Test func `a coffee from another device appears`() async throws {
    network.getChangesResponses = [
      .success(
        APIModelFixture.makeChangeFeedResponse(
          changes: [
            APIModelFixture.makeChangeEntry(
              id: 2, entityType: "event_type", entityId: "coffee",
              data: try ChangeEntryData(APIModelFixture.makeAPIEventType(id: "coffee"))),
            APIModelFixture.makeChangeEntry(
              id: 3, entityId: "theirs",
              data: try ChangeEntryData(APIModelFixture.makeAPIEvent(id: "theirs", eventTypeId: "coffee"))),
          ], nextCursor: 3))
    ]
    #expect(await journal.sync() == .idle)
    #expect(try await journal.cups(since: today) == 1)
    #expect(stores.mockStore.storedSyncCursor == 3)
  }

  @Test func `three rate limits stop pushes for half a minute`() async throws {
    try await journal.drink("espresso")
    network.errorToThrow = APIError.problem(ProblemDetails(status: 429), retryAfter: nil)
    for _ in 1...3 { await journal.sync() }
    guard case .rateLimited = await journal.sync() else {
      Issue.record("the breaker is open")
      return
    }
    network.reset()
    await journal.sync()
    #expect(network.createEventTypeWithIdempotencyCalls.isEmpty, "open means no push")

    await clock.advance(by: .seconds(31))
    await journal.sync()
    #expect(await journal.waiting() == 0)
  }

  @Test func `a coffee that cannot be saved does not exist`() async throws {
    try await journal.drink("espresso")
    stores.mockStore.throwOnSave = TestError("disk full")
    await #expect(throws: TestError("disk full")) { try await journal.drink("latte") }
    stores.mockStore.throwOnSave = nil
    #expect(try await journal.cups(since: today) == 1)
    #expect(await journal.waiting() == 2)
  }
}
