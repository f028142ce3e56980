import Foundation
import StorageTesting
import TrendyAgent
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync
import TrendyTesting

/// Device with a real store on an in-memory disk, and a real recorder and engine. After each power failure it starts a
/// new process.
///
/// @unchecked: used only by the jobs of one scenario, which run one at a time on one executor.
final class SimulatedDevice: @unchecked Sendable {
  /// Objects of one process, between two power failures.
  struct ProcessRun {
    let files: ProcessFileSystem
    let factory: DefaultDataStoreFactory
    let recorder: Recorder
    let besideRecorder: Recorder
    let besideFiles: ProcessFileSystem
    let engine: SyncEngine
    /// Engine of the second program, if it syncs.
    let besideEngine: SyncEngine
    let companionFiles: ProcessFileSystem
    let companions: CompanionStore
    let courier: CompanionTransport
    var loop: Task<Void, Never>?
  }

  let number: Int
  private(set) var disk = SimulatedFileSystem()
  /// Disk of the companion store, which is not part of backups.
  private let companionDisk = SimulatedFileSystem()
  let clock: DeviceClock
  private let parameters: ScenarioParameters
  private let account: Account
  private let makeCompanionClient: (ProcessFileSystem) -> any CompanionClientProtocol
  private let makeClient: (ProcessFileSystem) -> any NetworkClientProtocol
  private var generator: SeededGenerator
  private(set) var process: ProcessRun?
  private var loss: UInt64 = 0
  /// Number of times the app was suspended or became active again.
  var suspensionChanges = 0
  var isSuspended: Bool { !suspensionChanges.isMultiple(of: 2) }
  /// Number of running sync rounds, including those of earlier processes.
  var rounds = 0
  /// Whether a transfer of notices is running, in any process.
  var carries = false
  /// Highest cursor since the store last had no cursor.
  var cursor: Int64 = 0
  /// Number of hub restores after which the cursor has not decreased yet.
  var restoresToNotice = 0
  /// Whether the device runs an old version that uses only plain REST.
  var isOld = false
  private var backup: (disk: SimulatedFileSystem, commands: [String: CarriedOut])?
  var commands: [String: CarriedOut] = [:]

  init(
    number: Int, clock: DeviceClock, seed: UInt64, parameters: ScenarioParameters, account: Account,
    makeCompanionClient: @escaping (ProcessFileSystem) -> any CompanionClientProtocol,
    makeClient: @escaping (ProcessFileSystem) -> any NetworkClientProtocol
  ) {
    self.number = number
    self.clock = clock
    self.parameters = parameters
    self.account = account
    self.makeCompanionClient = makeCompanionClient
    self.makeClient = makeClient
    generator = SeededGenerator(seed: seed)
  }

  var name: String { deviceName(number) }

  var isOff: Bool { disk.isOff || companionDisk.isOff }

  /// Starts a process. Throws if the disk is full or powered off, in which case the caller repeats the start later.
  func begin() throws(StorageError) {
    if isSuspended { suspensionChanges += 1 }
    let files = ProcessFileSystem(disk)
    let besideFiles = ProcessFileSystem(disk)
    let factory = try open(files)
    let besideFactory = try open(besideFiles)
    let companionFiles = ProcessFileSystem(companionDisk)
    let companions = try CompanionStore(directory: "/companion", fileSystem: companionFiles)
    process = ProcessRun(
      files: files, factory: factory,
      recorder: Recorder(
        dataStoreFactory: factory, clock: clock, generator: SeededGenerator(seed: generator.next())),
      besideRecorder: Recorder(
        dataStoreFactory: besideFactory, clock: clock, generator: SeededGenerator(seed: generator.next())),
      besideFiles: besideFiles, engine: engine(files, factory), besideEngine: engine(besideFiles, besideFactory),
      companionFiles: companionFiles, companions: companions,
      courier: CompanionTransport(
        client: makeCompanionClient(companionFiles), account: account, clock: clock,
        store: CompanionTransport.Store(exists: { true }, open: { companions }), carryOut: { _ in true }))
  }

  private func engine(_ files: ProcessFileSystem, _ factory: DefaultDataStoreFactory) -> SyncEngine {
    let client = makeClient(files)
    return SyncEngine(
      networkClient: isOld ? client.plain : client, dataStoreFactory: factory, clock: clock,
      generator: SeededGenerator(seed: generator.next()),
      configuration: SyncConfiguration(
        batchSize: parameters.batchSize, largeBatchSize: parameters.largeBatchSize, pageSize: parameters.pageSize,
        largePageSize: parameters.largePageSize, pollInterval: Self.pollInterval, signalTimeout: Self.signalTimeout))
  }

  static let pollInterval: Duration = .seconds(900)
  static let signalTimeout: Duration = .seconds(900)

  private func open(_ files: ProcessFileSystem) throws(StorageError) -> DefaultDataStoreFactory {
    try DefaultDataStoreFactory(
      directory: "/store", fileSystem: files,
      options: .init(lockTimeout: .milliseconds(200), firstChunkBytes: 16_384, largestChunkBytes: 262_144),
      generator: SeededGenerator(seed: generator.next()))
  }

  func losePower(beforeChange change: Int, loss: UInt64) {
    self.loss = loss
    disk.powerOff(beforeChange: change)
  }

  func losePower(beforeCompanionChange change: Int, loss: UInt64) {
    self.loss = loss
    companionDisk.powerOff(beforeChange: change)
  }

  func keepPower() {
    for disk in [disk, companionDisk] where !disk.isOff { disk.powerOff(beforeChange: .max) }
  }

  /// If the device is off, prepares it for a restart. Returns whether it was off.
  func restartIfOff() -> Bool {
    guard isOff else { return false }
    restart(losing: .random(seed: loss))
    return true
  }

  /// Cuts power. The caller must then start a new process.
  func restart(losing loss: SimulatedFileSystem.Loss) {
    end()
    clock.restart()
    disk.restart(losing: loss)
    companionDisk.restart(losing: loss)
  }

  /// Runs automatic sync rounds until ``pause()`` or the end of the process.
  func run(on executor: SeededTaskExecutor) {
    guard let engine = process?.engine, process?.loop == nil else { return }
    process?.loop = Task(executorPreference: executor) { await engine.run() }
  }

  func pause() {
    process?.loop?.cancel()
    process?.loop = nil
  }

  private func end() {
    pause()
    process?.files.end()
    process?.besideFiles.end()
    process?.companionFiles.end()
    process = nil
  }

  // MARK: Copies

  func backUp() { backup = (disk.copy(), commands) }

  /// Replaces the disk with the backup, for the next process. Returns whether there is a backup.
  func restoreBackup() -> Bool {
    guard let backup else { return false }
    replaceDisk(with: backup.disk, backup.commands)
    return true
  }

  func copy(_ other: SimulatedDevice) { replaceDisk(with: other.disk, other.commands) }

  private func replaceDisk(with other: SimulatedFileSystem, _ commands: [String: CarriedOut]) {
    end()
    disk = other.copy()
    self.commands = commands
    cursor = 0
    // The backup may predate a hub restore.
    restoresToNotice += 1
  }
}
