import HubTesting
import StorageTesting
import Synchronization
import Testing
import TrendyHub
import TrendyPersistence

@Suite("EmbeddedHubStorage keeps the contract", .timeLimit(.minutes(1)))
struct EmbeddedHubStorageContractTests {
  @Test("of a hub storage", arguments: HubStorageContract.all)
  func contract(check: HubStorageContract.Check) throws {
    try check.run(on: openStorage(SimulatedFileSystem()))
  }

  @Test("with the hub restarted after every write", arguments: HubStorageContract.all)
  func reopened(check: HubStorageContract.Check) throws {
    let disk = SimulatedFileSystem()
    try check.run(on: ReopeningStorage(disk: disk))
  }
}

@Suite("MemoryHubStorage keeps the contract", .timeLimit(.minutes(1)))
struct MemoryHubStorageContractTests {
  @Test("of a hub storage", arguments: HubStorageContract.all)
  func contract(check: HubStorageContract.Check) throws { try check.run(on: MemoryHubStorage()) }
}

/// Opens the store anew after every write, as if the hub had been restarted.
private final class ReopeningStorage: HubStorage {
  private let disk: SimulatedFileSystem
  private let storage: Mutex<EmbeddedHubStorage>

  init(disk: SimulatedFileSystem) {
    self.disk = disk
    storage = Mutex(openStorage(disk))
  }

  private func reopen() {
    storage.withLock { $0 = openStorage(disk.anotherProcess()) }
  }

  func read<Result>(person: String, _ body: (any HubReading) throws -> Result) throws -> Result {
    try storage.withLock { $0 }.read(person: person, body)
  }
  func write<Result>(person: String, _ body: (any HubTransaction) throws -> Result) throws -> Result {
    defer { reopen() }
    return try storage.withLock { $0 }.write(person: person, body)
  }
  func readDirectory<Result>(_ body: (any HubDirectoryReading) throws -> Result) throws -> Result {
    try storage.withLock { $0 }.readDirectory(body)
  }
  func writeDirectory<Result>(_ body: (any HubDirectoryTransaction) throws -> Result) throws -> Result {
    defer { reopen() }
    return try storage.withLock { $0 }.writeDirectory(body)
  }
}

/// Small chunks: a disk in memory is made anew for every check.
private func openStorage(_ disk: SimulatedFileSystem) -> EmbeddedHubStorage {
  EmbeddedHubStorage(
    directory: "/hub", fileSystem: disk,
    options: StorageEngine.Options(firstChunkBytes: 16_384, largestChunkBytes: 262_144))
}
