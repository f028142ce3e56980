import Foundation
import HubTesting
import StorageTesting
import TrendyHub
import TrendyIngest
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTesting

/// The real hub on an in-memory disk, restarted after each power failure, or several hubs on one database.
///
/// @unchecked: used only by the jobs of one scenario, which run one at a time on one executor.
final class SimulatedHub: @unchecked Sendable {
  private struct Process {
    let server: HubServer
    let storage: any HubStorage
    let ingest: HubIngest
  }

  private(set) var disk = SimulatedFileSystem()
  /// Shared database of several hubs, in place of the disk.
  let database: SimulatedDatabase?
  private(set) var backup: SimulatedFileSystem?
  private var backupHead: Int64 = 0
  private var standbyHead: Int64?
  let clock: DeviceClock
  private var generator: SeededGenerator
  private var processes: [Process] = []
  private var births = 0
  private(set) var user = ""
  private var files: ProcessFileSystem
  private(set) var tokens: [String] = []
  private(set) var deviceIds: [String] = []
  private(set) var plainToken = ""
  /// Token of a device that pushes invalid data.
  private(set) var liarToken = ""
  private(set) var strangerToken = ""
  private(set) var stranger = ""
  private var loss: UInt64 = 0
  private let executor: SeededTaskExecutor

  /// Creates the hub, or `hubs` hubs that share a database, for a user with this number of devices. The seed determines
  /// all random values.
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
    user = try accounts.createPerson(name: "Anna").id
    for device in 0..<devices {
      let made = try accounts.createToken(user: user, deviceName: deviceName(device))
      tokens.append(made.token)
      deviceIds.append(made.device.id)
    }
    plainToken = try accounts.createToken(user: user, deviceName: "plain").token
    liarToken = try accounts.createToken(user: user, deviceName: "liar").token
    stranger = try accounts.createPerson(name: "Berta").id
    strangerToken = try accounts.createToken(user: stranger, deviceName: "stranger").token
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

  /// Maximum snapshot part sizes in bytes. An entry has about 400 bytes, so a part contains one entry, several entries,
  /// or all of them.
  private static let partSizes = [1, 1000, 4000, 1 << 20]

  /// Maximum number of parts of a snapshot with this many entries.
  func parts(ofEntries count: Int) -> Int {
    let bytes = servers.map(\.configuration.snapshotPartBytes).min() ?? 1
    return min(count, count * 1000 / bytes) + 1
  }

  // MARK: Processes

  /// The single hub, or the first of several.
  var server: HubServer { processes[0].server }

  var servers: [HubServer] { processes.map(\.server) }

  func nextServer() -> HubServer {
    if processes.count == 1 { return server }
    return processes[Int.random(in: processes.indices, using: &generator)].server
  }

  func isServing(_ server: HubServer) -> Bool { processes.contains { $0.server === server } }

  /// Whether the single hub does not respond because of a power failure.
  var isOff: Bool { database == nil && disk.isOff }

  /// Number of times confirmed writes were lost, apart from restores of files.
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

  // MARK: Contents

  private func read<Result>(_ body: (any HubReadTransaction) throws -> Result) -> Result? { read(of: user, body) }

  private func read<Result>(of user: String, _ body: (any HubReadTransaction) throws -> Result) -> Result? {
    if let database { return try? database.rows.users.read(user, epoch: database.rows.epoch.id, body) }
    guard !disk.isOff else { return nil }
    return try? processes[0].storage.read(user: user, body)
  }

  func entries(of user: String) -> [HubEntry] { read(of: user) { try $0.entries(after: 0, limit: .max) } ?? [] }

  func tracks(of user: String) throws -> any TrackRows { try processes[0].storage.tracks(of: user) }

  /// Runs the periodic detection for all users on one hub.
  func lookThrough(at server: HubServer) async throws {
    try await processes.first { $0.server === server }?.ingest.tick(at: server)
  }

  func entry(kind: String, id: String) -> HubEntry? { read { try $0.entry(kind: kind, id: id) } ?? nil }

  func referring(toKind kind: String, id: String) -> [HubEntry] {
    read { try $0.referring(toKind: kind, id: id) } ?? []
  }

  func strangersEntries() throws -> [HubEntry] {
    try processes[0].storage.read(user: stranger) { try $0.entries(after: 0, limit: .max) }
  }

  /// Current head, or `nil` if the disk cannot be read.
  var head: Int64? { state?.head }

  var horizon: Int64? { state?.horizon }

  private var state: HubState? { read { try $0.state() } }

  static let unreadablePrefix = "future-"

  /// Writes an entity that this version cannot read, as a newer hub and device would.
  func writeUnreadable(id: String, isKnownKind: Bool) async throws {
    // A restarted hub begins an epoch before its first write.
    _ = try await InProcessClient(token: tokens[0], server: server).getLatestCursor()
    try processes[0].storage.write(user: user) { transaction in
      var state = try transaction.state()
      // On a database, the first write in an epoch begins it.
      if let epoch = try transaction.epoch(), case let epoch = HubState.epoch(of: user, in: epoch),
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

  // MARK: Faults

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

  /// Limits the user's record to `room` further entries, or removes the limit if `room` is `nil`. Returns whether the
  /// quota was stored.
  func limit(room: Int?) -> Bool {
    guard let state else { return false }
    let quota = HubQuota(rows: room.map { state.rows + Int64($0) }, bytes: nil)
    // Without power or a connection, the quota is set later.
    return (try? server.accounts.setQuota(quota, of: user)) != nil
  }

  func free() {
    database?.isFull = false
    disk.setCapacity(nil)
  }

  func endFaults() {
    database?.endFaults()
    if !disk.isOff { disk.powerOff(beforeChange: .max) }
  }

  func restartIfOff() -> Bool {
    guard isOff else { return false }
    restart(losing: .random(seed: loss))
    return true
  }

  func backUp() -> Bool {
    guard let head else { return false }
    if let database { database.backUp() } else { backup = disk.copy() }
    backupHead = head
    return true
  }

  /// Restores the backup, which loses later writes. A backup older than the horizon is not restored, because some
  /// deletions would be lost. Returns whether a backup was restored.
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

  /// Stops the replication to the standby. Returns whether it was running.
  func letStandbyFallBehind() -> Bool {
    guard let database, standbyHead == nil, let head else { return false }
    database.fallBehind()
    standbyHead = head
    return true
  }

  /// Lets the standby take over. A standby behind the horizon catches up first. Returns whether confirmed writes are
  /// lost, or `nil` if there is no standby.
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
