import Foundation
import TrendyModels
import TrendyPersistence

/// Repeatedly starts the processes, kills them, and checks the store.
struct Rounds {
  let seed: UInt64
  private(set) var count = 0
  private let folder: Folder
  private var random: SeededGenerator
  private var checker: Checker

  init(folder: Folder, seed: UInt64) {
    self.folder = folder
    self.seed = seed
    random = SeededGenerator(seed: seed)
    checker = Checker(folder: folder)
  }

  mutating func run(seconds: Double) throws {
    let clock = ContinuousClock()
    let start = clock.now
    repeat {
      count += 1
      try round()
      try checker.check()
      if count.isMultiple(of: 100) { print("round \(count): \(checker.summary)") }
    } while clock.now - start < .seconds(seconds)
    print("seed \(seed), \(count) rounds of \(Role.all.count) processes, all killed: \(checker.summary)")
  }

  #if os(Linux)
    private static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
  #else
    private static let program = URL(filePath: CommandLine.arguments[0])
  #endif

  private mutating func round() throws {
    // Each process is killed at a random time, possibly before it does anything.
    var ends = Role.all.map { (name: $0, at: 5_000 + random.below(random.below(4) == 0 ? 40_000 : 250_000)) }
    ends.sort { $0.at < $1.at }
    var processes: [String: Process] = [:]
    for name in Role.all {
      let process = Process()
      process.executableURL = Self.program
      process.arguments = ["--role", name, "--dir", folder.path]
      process.standardInput = FileHandle.nullDevice
      try process.run()
      processes[name] = process
    }
    var now = 0
    for (name, at) in ends {
      usleep(UInt32(at - now))
      now = at
      guard let process = processes[name] else { continue }
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    for name in Role.all {
      if let message = try? String(contentsOfFile: folder.errorFile(name), encoding: .utf8) {
        throw Loss("\(name): \(message)")
      }
      guard let process = processes[name], process.terminationReason == .uncaughtSignal,
        process.terminationStatus == SIGKILL
      else { throw Loss("\(name) exited before it was killed") }
    }
  }
}

struct Checker {
  private let folder: Folder
  private var expected = Work.writers.map { _ in Work.Expected() }
  private var records = 0
  private var backups = 0
  private var merges: Set<String> = []

  init(folder: Folder) { self.folder = folder }

  var summary: String {
    "\(expected.reduce(0) { $0 + $1.saves }) saves, \(records) rows, \(merges.count) segments seen, \(backups) backups restored; no data lost"
  }

  mutating func check() throws {
    guard FileManager.default.fileExists(atPath: folder.store + "/manifest") else { return }
    let acknowledged = Work.writers.map { folder.acknowledged($0) }
    let engine = try StorageEngine.open(directory: folder.store, options: Work.options)
    try compare(engine, expected: &expected)
    for (index, writer) in Work.writers.enumerated() where expected[index].saves < acknowledged[index] {
      throw Loss(
        "writer \(writer) acknowledged \(acknowledged[index]) saves, but the store has \(expected[index].saves)")
    }
    let verification = try StorageEngine.verify(directory: folder.store, options: Work.options)
    if let finding = verification.findings.first { throw Loss("verification found: \(finding)") }
    records = verification.records
    merges.formUnion(
      try FileManager.default.contentsOfDirectory(atPath: folder.store).filter { $0.hasPrefix("segment-") })
    try checkBackup()
  }

  private func compare(_ engine: StorageEngine, expected: inout [Work.Expected]) throws {
    for (index, writer) in Work.writers.enumerated() {
      try expected[index].advance(to: Work.progress(of: writer, in: engine), of: writer)
      try expected[index].compare(with: engine, of: writer)
    }
  }

  /// Checks that the backup is complete and consistent, although the process that created it may have been killed.
  private mutating func checkBackup() throws {
    guard FileManager.default.fileExists(atPath: folder.backup) else { return }
    let copy = StoreBackup.Store(name: "record", directory: folder.copy)
    _ = try StoreBackup.restore(
      from: folder.backup, to: [copy], keptIn: folder.path + "/kept", nowMillis: 0, options: Work.options)
    var fresh = Work.writers.map { _ in Work.Expected() }
    try compare(StorageEngine.open(directory: folder.copy, options: Work.options), expected: &fresh)
    for (index, writer) in Work.writers.enumerated() where fresh[index].saves > expected[index].saves {
      throw Loss(
        "the backup has \(fresh[index].saves) saves of writer \(writer), the store only \(expected[index].saves)")
    }
    backups += 1
    try FileManager.default.removeItem(atPath: folder.copy)
    try FileManager.default.removeItem(atPath: folder.backup)
  }
}
