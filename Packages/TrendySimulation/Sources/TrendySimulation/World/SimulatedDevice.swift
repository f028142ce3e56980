import Foundation
import StorageTesting
import TrendyAgent
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync
import TrendyTesting

/// One device: a real store on a disk in memory, a real recorder and engine; each loss of power begins a new life.
///
/// @unchecked: touched only by the pieces of one story, which one executor runs one at a time.
final class SimulatedDevice: @unchecked Sendable {
  /// What runs between two losses of power.
  struct ProcessRun {
    let files: ProcessFileSystem
    let factory: DefaultDataStoreFactory
    let recorder: Recorder
    /// Of another program on the same store.
    let besideRecorder: Recorder
    let besideFiles: ProcessFileSystem
    let engine: SyncEngine
    /// Of that other program, where it syncs too.
    let besideEngine: SyncEngine
    let companionFiles: ProcessFileSystem
    let companions: CompanionStore
    let courier: CompanionCourier
    /// Makes its rounds by itself, where they do.
    var loop: Task<Void, Never>?
  }

  let number: Int
  private(set) var disk = SimulatedFileSystem()
  /// With what is told companions: this device's alone, and in no backup.
  private let companionDisk = SimulatedFileSystem()
  let clock: DeviceClock
  private let parameters: ScenarioParameters
  private let account: Account
  private let makeCompanionClient: (ProcessFileSystem) -> any CompanionClientProtocol
  private let makeClient: (ProcessFileSystem) -> any NetworkClientProtocol
  private var generator: SeededGenerator
  private(set) var process: ProcessRun?
  private var loss: UInt64 = 0
  /// Rounds under way, of all lives.
  var rounds = 0
  /// Whether its courier is under way, of whichever life.
  var carries = false
  /// The highest cursor since the store last had none.
  var cursor: Int64 = 0
  /// How often the hub it stands at was restored since its cursor was seen to go back.
  var restoresToNotice = 0
  /// Whether the program is one that knows the plain operations only.
  var isOld = false
  private var backup: (disk: SimulatedFileSystem, commands: [String: CarriedOut])?
  /// What the person did by commands, by its label or the id of the import: what its store can take back or do again.
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

  /// Whether power has gone.
  var isOff: Bool { disk.isOff || companionDisk.isOff }

  /// Begins a life; on a full or dead disk it cannot, and is tried again later.
  func begin() throws(StorageError) {
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
      courier: CompanionCourier(
        client: makeCompanionClient(companionFiles), account: account, clock: clock,
        store: CompanionCourier.Store(exists: { true }, open: { companions }), carryOut: { _ in true }))
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

  /// A loss of power that was planned and has not come does not come any more.
  func keepPower() {
    for disk in [disk, companionDisk] where !disk.isOff { disk.powerOff(beforeChange: .max) }
  }

  /// - Returns: whether power had gone, so that it was started again.
  func restartIfOff() -> Bool {
    guard isOff else { return false }
    restart(losing: .random(seed: loss))
    return true
  }

  /// Power goes now. The next life has yet to begin.
  func restart(losing loss: SimulatedFileSystem.Loss) {
    end()
    clock.restart()
    disk.restart(losing: loss)
    companionDisk.restart(losing: loss)
  }

  /// Has rounds come by themselves until ``pause()`` or the end of this life.
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

  /// The next life begins on the disk as it was backed up.
  /// - Returns: whether it ever was.
  func restoreBackup() -> Bool {
    guard let backup else { return false }
    replaceDisk(with: backup.disk, backup.commands)
    return true
  }

  /// The next life begins on a copy of another device's disk.
  func copy(_ other: SimulatedDevice) { replaceDisk(with: other.disk, other.commands) }

  private func replaceDisk(with other: SimulatedFileSystem, _ commands: [String: CarriedOut]) {
    end()
    disk = other.copy()
    self.commands = commands
    cursor = 0
    // It may be of a time before the hub was restored.
    restoresToNotice += 1
  }
}
