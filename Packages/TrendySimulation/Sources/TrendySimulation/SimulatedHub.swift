import Foundation
import StorageTesting
import TrendyHub
import TrendyPersistence
import TrendyProtocols
import TrendyTesting

/// The real hub on a disk in memory, which starts again after each loss of power.
///
/// @unchecked: touched only by the pieces of one story, which one executor runs one at a time.
final class SimulatedHub: @unchecked Sendable {
  private(set) var disk = SimulatedFileSystem()
  private(set) var backup: SimulatedFileSystem?
  private let clock: any TimeSource
  private var generator: SeededGenerator
  private(set) var server: HubServer
  private var files: MortalFileSystem
  private(set) var tokens: [String] = []
  private var loss: UInt64 = 0

  init(clock: any TimeSource, seed: UInt64, devices: Int) throws {
    self.clock = clock
    var generator = SeededGenerator(seed: seed)
    files = MortalFileSystem(disk)
    server = Self.start(files, clock, generator.next())
    self.generator = generator
    let person = try server.accounts.createPerson(name: "Anna")
    for device in 0..<devices {
      tokens.append(try server.accounts.createToken(person: person.id, deviceName: deviceName(device)).token)
    }
  }

  private static func start(_ files: MortalFileSystem, _ clock: any TimeSource, _ seed: UInt64) -> HubServer {
    HubServer(
      storage: EmbeddedHubStorage(
        directory: "/hub", fileSystem: files,
        options: StorageEngine.Options(
          lockTimeout: .milliseconds(200), firstChunkBytes: 16_384, largestChunkBytes: 262_144)),
      clock: clock, generator: SeededGenerator(seed: seed), configuration: HubConfiguration(requestsPerMinute: nil))
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

  func backUp() { backup = disk.copy() }

  /// What was given out since the backup is forgotten.
  /// - Returns: whether there is one.
  func restore() -> Bool {
    guard let backup else { return false }
    files.end()
    disk = backup.copy()
    files = MortalFileSystem(disk)
    server = Self.start(files, clock, generator.next())
    return true
  }

  func restart(losing loss: SimulatedFileSystem.Loss) {
    files.end()
    disk.restart(losing: loss)
    files = MortalFileSystem(disk)
    server = Self.start(files, clock, generator.next())
  }
}
