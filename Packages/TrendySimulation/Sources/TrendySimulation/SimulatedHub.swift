import Foundation
import StorageTesting
import TrendyHub
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTesting

/// The real hub on a disk in memory, which starts again after each loss of power.
///
/// @unchecked: touched only by the pieces of one story, which one executor runs one at a time.
final class SimulatedHub: @unchecked Sendable {
  private(set) var disk = SimulatedFileSystem()
  private(set) var backup: SimulatedFileSystem?
  private var backupHead: Int64 = 0
  let clock: DeviceClock
  private var generator: SeededGenerator
  private(set) var server: HubServer
  private var storage: EmbeddedHubStorage
  let person: String
  private var files: MortalFileSystem
  private(set) var tokens: [String] = []
  private(set) var deviceIds: [String] = []
  /// Of a program that knows no versions.
  let plainToken: String
  /// Of a device that keeps to nothing.
  let liarToken: String
  /// Of another person's device.
  let strangerToken: String
  let stranger: String
  private var loss: UInt64 = 0

  init(clock: any TimeSource, seed: UInt64, devices: Int) throws {
    let clock = DeviceClock(clock, name: "hub")
    self.clock = clock
    var generator = SeededGenerator(seed: seed)
    files = MortalFileSystem(disk)
    storage = Self.open(files)
    server = Self.start(storage, clock, generator.next())
    self.generator = generator
    person = try server.accounts.createPerson(name: "Anna").id
    for device in 0..<devices {
      let made = try server.accounts.createToken(person: person, deviceName: deviceName(device))
      tokens.append(made.token)
      deviceIds.append(made.device.id)
    }
    plainToken = try server.accounts.createToken(person: person, deviceName: "plain").token
    liarToken = try server.accounts.createToken(person: person, deviceName: "liar").token
    stranger = try server.accounts.createPerson(name: "Berta").id
    strangerToken = try server.accounts.createToken(person: stranger, deviceName: "stranger").token
  }

  private static func open(_ files: MortalFileSystem) -> EmbeddedHubStorage {
    EmbeddedHubStorage(
      directory: "/hub", fileSystem: files,
      options: StorageEngine.Options(
        lockTimeout: .milliseconds(200), firstChunkBytes: 16_384, largestChunkBytes: 262_144))
  }

  private static func start(_ storage: EmbeddedHubStorage, _ clock: any TimeSource, _ seed: UInt64) -> HubServer {
    HubServer(
      storage: storage, clock: clock, generator: SeededGenerator(seed: seed),
      configuration: HubConfiguration(
        requestsPerMinute: nil, snapshotPartBytes: partSizes[Int(seed % UInt64(partSizes.count))]))
  }

  /// An entry of a story is some 400 bytes: a snapshot comes in a part for each, in several, or whole.
  private static let partSizes = [1, 1000, 4000, 1 << 20]

  /// In how many parts a snapshot of so many entries comes, at most.
  func parts(ofEntries count: Int) -> Int { min(count, count * 1000 / server.configuration.snapshotPartBytes) + 1 }

  /// What it has of an entity; `nil` where its disk does not say.
  func entry(kind: String, id: String) -> HubEntry? {
    guard !disk.isOff else { return nil }
    return try? storage.read(person: person) { try $0.entry(kind: kind, id: id) }
  }

  /// The living that hang on an entity, or refer to it.
  func referring(toKind kind: String, id: String) -> [HubEntry] {
    guard !disk.isOff else { return [] }
    return (try? storage.read(person: person) { try $0.referring(toKind: kind, id: id) }) ?? []
  }

  /// Everything another person has.
  func strangersEntries() throws -> [HubEntry] {
    try storage.read(person: stranger) { try $0.entries(after: 0, limit: .max) }
  }

  /// Where it stands; `nil` where its disk does not say.
  var head: Int64? { state?.head }

  private var state: HubState? {
    guard !disk.isOff else { return nil }
    return try? storage.read(person: person) { try $0.state() }
  }

  /// Something that devices of this version cannot read, as a newer version of hub and device would have left it.
  func writeUnreadable(id: String, isKnownKind: Bool) async throws {
    // A hub that has started anew begins an epoch before anything is written.
    _ = try await InProcessClient(token: tokens[0], server: server).getLatestCursor()
    try storage.write(person: person) { transaction in
      var state = try transaction.state()
      state.head += 1
      let values: [String: JSONValue] =
        isKnownKind ? ["timestamp": "next Tuesday", "event_type_id": "type-of-tomorrow"] : ["face": "calm"]
      try transaction.put(
        HubEntry(
          kind: isKnownKind ? MutationEntityType.event.rawValue : "face", id: id, version: state.head,
          createdAt: clock.now, updatedAt: clock.now, createdVersion: state.head,
          fields: values.mapValues { HubField(value: $0, version: state.head, stamp: 0, author: "tomorrow") }))
      try transaction.setState(state)
    }
  }

  func losePower(beforeChange change: Int, loss: UInt64) {
    self.loss = loss
    disk.powerOff(beforeChange: change)
  }

  /// - Returns: whether power had gone, so that it was started again.
  func restartIfOff() -> Bool {
    guard disk.isOff else { return false }
    restart(losing: .random(seed: loss))
    return true
  }

  /// - Returns: whether its disk gave one.
  func backUp() -> Bool {
    guard let head else { return false }
    backup = disk.copy()
    backupHead = head
    return true
  }

  /// What was given out since the backup is forgotten. One that is older than the horizon is not restored: nobody would know of
  /// some deletions any more.
  /// - Returns: whether there is one.
  func restore() -> Bool {
    guard let backup, let state, state.horizon <= backupHead else { return false }
    files.end()
    disk = backup.copy()
    begin()
    return true
  }

  func restart(losing loss: SimulatedFileSystem.Loss) {
    files.end()
    disk.restart(losing: loss)
    begin()
  }

  private func begin() {
    files = MortalFileSystem(disk)
    storage = Self.open(files)
    server = Self.start(storage, clock, generator.next())
  }
}
