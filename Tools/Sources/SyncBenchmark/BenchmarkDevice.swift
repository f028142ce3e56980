import Foundation
import TrendyModels
import TrendyNetworking
import TrendyPersistence
import TrendyProtocols
import TrendySync

/// A device with a store on disk, an HTTP client and a sync engine.
struct BenchmarkDevice {
  let factory: DefaultDataStoreFactory
  let client: APIClient
  let engine: SyncEngine
  let recorder: Recorder

  init(hub: HubProcess, directory: URL) throws {
    factory = try DefaultDataStoreFactory(directory: directory)
    client = try APIClient(baseURL: hub.url, token: hub.nextToken(), deadline: .seconds(120))
    engine = SyncEngine(networkClient: client, dataStoreFactory: factory)
    recorder = Recorder(dataStoreFactory: factory)
  }

  /// Syncs until the queue is empty, which takes more than one round only after an interruption.
  func sync() async throws {
    for _ in 0..<5 {
      await engine.performSync()
      let state = await engine.state
      if case .error(let message) = state { throw UsageError(text: "sync failed: \(message)") }
      if await engine.getPendingCount() == 0 { return }
    }
    throw UsageError(text: "\(await engine.getPendingCount()) changes are still pending after five rounds")
  }

  /// Counts the events without loading them, which would increase the measured memory.
  func eventCount() throws -> Int {
    try factory.makeDataStore().eventCountsByDay(in: nil, ofType: nil, timeZone: .gmt).values.reduce(0, +)
  }

  func event(_ number: Int) throws -> Event? {
    try factory.makeDataStore().findEvent(id: BenchmarkEvents.identifier(number))
  }
}
