import Foundation
#if canImport(Observation)
  import Observation
#endif
import Testing
import TrendyPersistence
import TrendyProtocols
import TrendyTesting

@Suite("DataStoreContract: observation", .timeLimit(.minutes(10)))
struct ObservationContractTests {
  @Test("the mock meets the contract", arguments: DataStoreContract.observationClauses)
  func mockKeeps(clause: DataStoreContract.ObservationClause) async throws {
    let one = MockDataStoreFactory()
    try await clause.check(one, writingThrough: one)
    let other = MockDataStoreFactory()
    try await clause.check(other, writingThrough: other.mockStore.otherUnits)
  }

  @Test("the store on a disk meets the contract", arguments: DataStoreContract.observationClauses)
  func storeKeeps(clause: DataStoreContract.ObservationClause) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "observation-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }  // if this fails, only a temporary folder remains
    for (name, mode, isOne) in [
      ("a", StoreMode.createIfMissing, true), ("b", .mustExist, false), ("c", .readOnly, false),
    ] {
      let writers = try DefaultDataStoreFactory(directory: folder.appending(path: name))
      let stores = isOne ? writers : try DefaultDataStoreFactory(directory: folder.appending(path: name), mode: mode)
      try await clause.check(stores, writingThrough: writers)
    }
  }

  @Test("a seed replays the observation of the mock", arguments: 0..<20 as Range<UInt64>)
  func replays(seed: UInt64) async throws {
    func steps() async throws -> Int {
      let executor = SeededTaskExecutor(seed: seed)
      return try await executor.run {
        for clause in DataStoreContract.observationClauses {
          let stores = MockDataStoreFactory()
          try await clause.check(stores, writingThrough: stores)
        }
        return executor.steps
      }
    }
    let first = try await steps()
    #expect(try await steps() == first)
  }

  @Test("a store without observation violates every clause", arguments: DataStoreContract.observationClauses.dropLast())
  func forgetfulStoreBreaks(clause: DataStoreContract.ObservationClause) async throws {
    struct Forgetful: DataStoreFactory {
      func makeDataStore() -> any DataStoreProtocol { ForgetfulStore() }
    }
    await #expect(throws: DataStoreContract.Violation.self) {
      try await clause.check(Forgetful(), writingThrough: Forgetful())
    }
  }

  #if canImport(Observation)
    @MainActor @Test func `a query of a view follows the store until its task is cancelled, or keeps the error`()
      async throws
    {
      let stores = MockDataStoreFactory()
      let query = StoreQuery([""]) { try $0.fetchAllGeofences().map(\.id) }
      let task = Task { await query.follow(stores) }
      while query.value != [] { await changed(query) }
      stores.mockStore.seedGeofence(id: "a")
      while query.value != ["a"] { await changed(query) }
      task.cancel()
      await task.value
      #expect(query.error == nil)

      let broken = StoreQuery(0) { _ in throw TestError() }
      await broken.follow(stores)
      #expect(broken.error as? TestError == TestError() && broken.value == 0)
    }

    @MainActor private func changed(_ query: StoreQuery<[String]>) async {
      await withCheckedContinuation { continuation in
        withObservationTracking {
          _ = query.value
        } onChange: {
          continuation.resume()
        }
      }
    }
  #endif
}
