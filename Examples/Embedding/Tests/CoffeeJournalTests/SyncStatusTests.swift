import CoffeeJournal
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

@MainActor @Suite(.timeLimit(.minutes(10)))
struct SyncStatusTests {
  @Test func `the status line shows a failed sync, then a successful one`() async throws {
    let network = MockNetworkClient()
    let stores = MockDataStoreFactory()
    stores.mockStore.storedSyncCursor = 1  // this device has synced before
    let journal = CoffeeJournal(client: network, stores: stores, clock: ManualClock())
    let status = SyncStatus()
    let following = Task { await status.follow(journal.states) }
    defer { following.cancel() }

    try await journal.drink("espresso")
    network.errorToThrow = APIError.networkError("no route")
    await journal.sync()
    while !status.line.contains("2 changes are pending") { await Task.yield() }
    #expect(!status.isBusy)

    network.reset()
    await journal.sync()
    while status.line != "Synced" { await Task.yield() }
    #expect(!status.isBusy)
  }
}
