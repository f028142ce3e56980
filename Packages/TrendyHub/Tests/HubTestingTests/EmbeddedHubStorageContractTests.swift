import Foundation
import HubTesting
import StorageTesting
import Synchronization
import Testing
import TrendyHub
import TrendyModels
import TrendyPersistence

@Suite("Contract of EmbeddedHubStorage", .timeLimit(.minutes(10)))
struct EmbeddedHubStorageContractTests {
  @Test("the storage satisfies the contract", arguments: HubStorageContract.all)
  func contract(check: HubStorageContract.Check) throws {
    try check.run(on: openStorage(SimulatedFileSystem()))
  }

  @Test("the storage satisfies the contract if the hub restarts after every write", arguments: HubStorageContract.all)
  func reopened(check: HubStorageContract.Check) throws {
    let disk = SimulatedFileSystem()
    try check.run(on: ReopeningStorage(disk: disk))
  }

  @Test("the storage satisfies the contract with maintenance after every write", arguments: HubStorageContract.all)
  func maintained(check: HubStorageContract.Check) throws {
    try check.run(on: ReopeningStorage(disk: SimulatedFileSystem(), maintains: true))
  }

  @Test func `maintenance turns a long log of a user into a segment`() throws {
    let disk = SimulatedFileSystem()
    let storage = openStorage(disk)
    let name = String(repeating: "n", count: 5000)
    try storage.writeDirectory { try $0.put(HubUser(id: "p", name: name, createdAt: Date(timeIntervalSince1970: 0))) }
    #expect(!disk.files.contains { $0.contains("/segment-") })
    while try storage.maintain() {}
    #expect(disk.files.contains { $0.hasPrefix("/hub/directory/segment-") })
    #expect(try openStorage(disk.anotherProcess()).readDirectory { try $0.users().map(\.name) } == [name])
    #expect(try !storage.maintain())
  }
}

@Suite("Contract of MemoryHubStorage", .timeLimit(.minutes(10)))
struct MemoryHubStorageContractTests {
  @Test("the storage satisfies the contract", arguments: HubStorageContract.all)
  func contract(check: HubStorageContract.Check) throws { try check.run(on: MemoryHubStorage()) }
}

/// Storage that is reopened after every write, as if the hub had been restarted, optionally after maintenance.
private final class ReopeningStorage: HubStorage {
  private let disk: SimulatedFileSystem
  private let maintains: Bool
  private let storage: Mutex<EmbeddedHubStorage>

  init(disk: SimulatedFileSystem, maintains: Bool = false) {
    self.disk = disk
    self.maintains = maintains
    storage = Mutex(openStorage(disk))
  }

  private func reopen() throws {
    if maintains { while try storage.withLock({ try $0.maintain() }) {} }
    storage.withLock { $0 = openStorage(disk.anotherProcess()) }
  }

  func read<Result>(user: String, _ body: (any HubReadTransaction) throws -> Result) throws -> Result {
    try storage.withLock { $0 }.read(user: user, body)
  }
  func write<Result>(user: String, _ body: (any HubTransaction) throws -> Result) throws -> Result {
    let result = try storage.withLock { $0 }.write(user: user, body)
    try reopen()
    return result
  }
  func erase(user: String) throws {
    try storage.withLock { $0 }.erase(user: user)
    try reopen()
  }
  func tracks(of user: String) throws -> any TrackRows { try storage.withLock { $0 }.tracks(of: user) }
  func size(of user: String) throws -> Int64? { try storage.withLock { $0 }.size(of: user) }
  func hasTracks(of user: String) throws -> Bool { try storage.withLock { $0 }.hasTracks(of: user) }
  func readDirectory<Result>(_ body: (any HubDirectoryReading) throws -> Result) throws -> Result {
    try storage.withLock { $0 }.readDirectory(body)
  }
  func writeDirectory<Result>(_ body: (any HubDirectoryTransaction) throws -> Result) throws -> Result {
    let result = try storage.withLock { $0 }.writeDirectory(body)
    try reopen()
    return result
  }
}

/// Opens a storage with small chunks, because every check creates a new in-memory disk.
private func openStorage(_ disk: SimulatedFileSystem) -> EmbeddedHubStorage {
  EmbeddedHubStorage(
    directory: "/hub", fileSystem: disk,
    options: StorageEngine.Options(firstChunkBytes: 16_384, largestChunkBytes: 262_144, sealBytes: 4096))
}
