import Foundation
import HubTesting
import StorageTesting
import TrendyHub
import TrendyIngest
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTesting

/// The real hub on a disk in memory, which starts again after each loss of power; or several of them on one database.
///
/// @unchecked: touched only by the pieces of one story, which one executor runs one at a time.
final class SimulatedHub: @unchecked Sendable {
  /// One life of one hub process.
  private struct Process {
    let server: HubServer
    let storage: any HubStorage
    let ingest: HubIngest
  }

  private(set) var disk = SimulatedFileSystem()
  /// In place of the disk, where several hubs share it.
  let database: SimulatedDatabase?
  private(set) var backup: SimulatedFileSystem?
  private var backupHead: Int64 = 0
  private var standbyHead: Int64?
  let clock: DeviceClock
  private var generator: SeededGenerator
  private var processes: [Process] = []
  /// Hub processes that ever began.
  private var births = 0
  private(set) var person = ""
  private var files: ProcessFileSystem
  private(set) var tokens: [String] = []
  private(set) var deviceIds: [String] = []
  /// Of a program that knows no versions.
  private(set) var plainToken = ""
  /// Of a device that keeps to nothing.
  private(set) var liarToken = ""
  /// Of another person's device.
  private(set) var strangerToken = ""
  private(set) var stranger = ""
  private var loss: UInt64 = 0
  private let executor: SeededTaskExecutor

  /// - Parameters:
  ///   - seed: of what is made by chance.
  ///   - devices: of the person.
  ///   - hubs: more than one share a database.
  ///   - executor: on which the story runs.
  init(clock: any TimeSource, seed: UInt64, devices: Int, hubs: Int, executor: SeededTaskExecutor) throws {
    let clock = DeviceClock(clock, name: "hub")
    self.clock = clock
    self.executor = executor
    var generator = SeededGenerator(seed: seed)
    files = ProcessFileSystem(disk)
    database = hubs > 1 ? SimulatedDatabase(seed: ~seed, clock: clock, executor: executor) : nil
    let first = generator.next()
    self.generator = generator
    processes = [start(seed: first)]
    for _ in 1..<max(hubs, 1) { processes.append(start(seed: self.generator.next())) }
    let accounts = server.accounts
    person = try accounts.createPerson(name: "Anna").id
    for device in 0..<devices {
      let made = try accounts.createToken(person: person, deviceName: deviceName(device))
      tokens.append(made.token)
      deviceIds.append(made.device.id)
    }
    plainToken = try accounts.createToken(person: person, deviceName: "plain").token
    liarToken = try accounts.createToken(person: person, deviceName: "liar").token
    stranger = try accounts.createPerson(name: "Berta").id
    strangerToken = try accounts.createToken(person: stranger, deviceName: "stranger").token
  }

  private func start(seed: UInt64) -> Process {
    births += 1
    let storage: any HubStorage =
      if let database {
        SimulatedDatabaseStorage(database, hub: "hub \(births)", seed: ~seed) { [unowned self] in onKilled($0) }
      } else {
        EmbeddedHubStorage(
          directory: "/hub", fileSystem: files,
          options: StorageEngine.Options(
            lockTimeout: .milliseconds(200), firstChunkBytes: 16_384, largestChunkBytes: 262_144))
      }
    let ingest = HubIngest(storage: storage, clock: clock, openTracks: 2)
    let server = HubServer(
      storage: storage, ingest: ingest, clock: clock, generator: SeededGenerator(seed: seed),
      configuration: HubConfiguration(
        requestsPerMinute: nil, snapshotPartBytes: Self.partSizes[Int(seed % UInt64(Self.partSizes.count))]),
      tasks: executor)
    return Process(server: server, storage: storage, ingest: ingest)
  }

  /// An entry of a story is some 400 bytes: a snapshot comes in a part for each, in several, or whole.
  private static let partSizes = [1, 1000, 4000, 1 << 20]

  /// In how many parts a snapshot of so many entries comes, at most.
  func parts(ofEntries count: Int) -> Int {
    let bytes = servers.map(\.configuration.snapshotPartBytes).min() ?? 1
    return min(count, count * 1000 / bytes) + 1
  }

  // MARK: Processes

  /// The one that files have, or the first of several.
  var server: HubServer { processes[0].server }

  var servers: [HubServer] { processes.map(\.server) }

  /// The one that the next request comes to.
  func nextServer() -> HubServer {
    if processes.count == 1 { return server }
    return processes[Int.random(in: processes.indices, using: &generator)].server
  }

  /// Whether the process goes on.
  func isServing(_ server: HubServer) -> Bool { processes.contains { $0.server === server } }

  /// Whether no hub answers, for want of power.
  var isOff: Bool { database == nil && disk.isOff }

  /// How often something was lost that the hubs had confirmed, other than by going back to a backup of files.
  var losses: Int { database?.losses ?? 0 }

  private func onKilled(_ storage: SimulatedDatabaseStorage) {
    guard let place = processes.firstIndex(where: { ($0.storage as? SimulatedDatabaseStorage) === storage }) else {
      return
    }
    storage.end()
    processes[place] = start(seed: generator.next())
  }

  private func restartAll() {
    for process in processes { (process.storage as? SimulatedDatabaseStorage)?.end() }
    for place in processes.indices { processes[place] = start(seed: generator.next()) }
  }

  // MARK: What is there

  /// With nothing on the way; `nil` where its disk does not say.
  private func read<Result>(_ body: (any HubReading) throws -> Result) -> Result? { read(of: person, body) }

  private func read<Result>(of person: String, _ body: (any HubReading) throws -> Result) -> Result? {
    if let database { return try? database.rows.people.read(person, life: database.rows.life.id, body) }
    guard !disk.isOff else { return nil }
    return try? processes[0].storage.read(person: person, body)
  }

  /// Everything that it has of somebody; nothing where its disk does not say.
  func entries(of person: String) -> [HubEntry] { read(of: person) { try $0.entries(after: 0, limit: .max) } ?? [] }

  /// What was posted for somebody.
  func tracks(of person: String) throws -> any TrackRows { try processes[0].storage.tracks(of: person) }

  /// One of the hubs does what time does of everybody's track log.
  func lookThrough(at server: HubServer) async throws {
    try await processes.first { $0.server === server }?.ingest.tick(at: server)
  }

  /// What it has of an entity; `nil` where its disk does not say.
  func entry(kind: String, id: String) -> HubEntry? { read { try $0.entry(kind: kind, id: id) } ?? nil }

  /// The living that hang on an entity, or refer to it.
  func referring(toKind kind: String, id: String) -> [HubEntry] {
    read { try $0.referring(toKind: kind, id: id) } ?? []
  }

  /// Everything another person has.
  func strangersEntries() throws -> [HubEntry] {
    try processes[0].storage.read(person: stranger) { try $0.entries(after: 0, limit: .max) }
  }

  /// Where it stands; `nil` where its disk does not say.
  var head: Int64? { state?.head }

  /// Up to here tombstones have shrunk to their ids.
  var horizon: Int64? { state?.horizon }

  private var state: HubState? { read { try $0.state() } }

  /// Begins the id of what ``writeUnreadable(id:isKnownKind:)`` writes.
  static let unreadablePrefix = "future-"

  /// Something that devices of this version cannot read, as a newer version of hub and device would have left it.
  func writeUnreadable(id: String, isKnownKind: Bool) async throws {
    // A hub that has started anew begins an epoch before anything is written.
    _ = try await InProcessClient(token: tokens[0], server: server).getLatestCursor()
    try processes[0].storage.write(person: person) { transaction in
      var state = try transaction.state()
      // So does whoever writes first in a life of the database.
      if let life = try transaction.epoch(), case let epoch = HubState.epoch(of: person, in: life),
        state.epochs.last?.id != epoch
      {
        state = try HubCore().begin(epoch: epoch, in: transaction)
      }
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

  // MARK: What happens to it

  func losePower(beforeChange change: Int, loss: UInt64) {
    if let database {
      let fault = DatabaseFault.hubKilled(isCommitted: loss.isMultiple(of: 2))
      database.planned.append(SimulatedDatabase.Planned(fault: fault, afterTransactions: change))
      return
    }
    self.loss = loss
    disk.powerOff(beforeChange: change)
  }

  func fill(room: Int) {
    database?.isFull = true
    if database == nil { disk.setCapacity(disk.usedBytes + room) }
  }

  /// - Parameter room: entries more that the person's record may have; `nil` for as many as come.
  /// - Returns: whether it was written down.
  func limit(room: Int?) -> Bool {
    guard let state else { return false }
    let quota = HubQuota(rows: room.map { state.rows + Int64($0) }, bytes: nil)
    // Without power or a connection it is for another time.
    return (try? server.accounts.setQuota(quota, of: person)) != nil
  }

  func free() {
    database?.isFull = false
    disk.setCapacity(nil)
  }

  /// What was planned and has not come does not come any more.
  func endFaults() {
    database?.endFaults()
    if !disk.isOff { disk.powerOff(beforeChange: .max) }
  }

  /// - Returns: whether power had gone, so that it was started again.
  func restartIfOff() -> Bool {
    guard isOff else { return false }
    restart(losing: .random(seed: loss))
    return true
  }

  /// - Returns: whether its disk gave one.
  func backUp() -> Bool {
    guard let head else { return false }
    if let database { database.backUp() } else { backup = disk.copy() }
    backupHead = head
    return true
  }

  /// What was given out since the backup is forgotten. One that is older than the horizon is not restored: nobody would know of
  /// some deletions any more.
  /// - Returns: whether there is one.
  func restore() -> Bool {
    guard let state, state.horizon <= backupHead else { return false }
    if let database {
      guard database.restore() else { return false }
      standbyHead = nil
      for process in processes { _ = (process.storage as? SimulatedDatabaseStorage)?.reconnect() }
      return true
    }
    guard let backup else { return false }
    files.end()
    disk = backup.copy()
    begin()
    return true
  }

  /// The standby hears of nothing from here on.
  /// - Returns: whether it did until now.
  func letStandbyFallBehind() -> Bool {
    guard let database, standbyHead == nil, let head else { return false }
    database.fallBehind()
    standbyHead = head
    return true
  }

  /// The standby takes the server's place; one that has fallen behind the horizon catches up before.
  /// - Returns: whether what was confirmed is lost; `nil` where there is no standby.
  func failOver() -> Bool? {
    guard let database, let state else { return nil }
    defer { standbyHead = nil }
    return database.failOver(isAsynchronous: state.horizon <= standbyHead ?? .max)
  }

  func restart(losing loss: SimulatedFileSystem.Loss) {
    if let database {
      database.restart()
      return restartAll()
    }
    files.end()
    disk.restart(losing: loss)
    begin()
  }

  private func begin() {
    files = ProcessFileSystem(disk)
    restartAll()
  }
}
