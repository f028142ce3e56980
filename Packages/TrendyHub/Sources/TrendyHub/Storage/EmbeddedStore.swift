import Foundation
import Synchronization
import TrendyPersistence

/// One engine, opened when it is needed and again after a failed sync, when nothing it held may be believed.
///
/// Reads answer from what is durable: a write shows in memory only after its sync, or a device could hold what a crash
/// takes back. So a read never waits for a write's sync, and sees all of a write or nothing.
///
/// @unchecked: `engine` and `erasedPerson` are touched under `turn` alone.
final class EmbeddedStore: @unchecked Sendable {
  private let directory: String
  private let fileSystem: any FileSystem
  private let options: StorageEngine.Options
  /// Held over a whole write, its sync included. Taken before `turn`.
  private let writing = NSLock()
  /// Held by a read, and for the moment in which a write becomes visible; never while a save is synced.
  private let turn = NSLock()
  private var engine: StorageEngine?
  private var erasedPerson: String?
  private let owes = Atomic(false)
  let lastState = LastState()
  /// Closes other stores where descriptors are short, never waiting for one; says whether it did.
  private let makeRoom: @Sendable () -> Bool

  init(
    directory: String, fileSystem: any FileSystem, options: StorageEngine.Options,
    makeRoom: @escaping @Sendable () -> Bool = { false }
  ) {
    self.directory = directory
    self.fileSystem = fileSystem
    self.options = options
    self.makeRoom = makeRoom
  }

  func read<Result>(_ body: (any RecordReading) throws -> Result) throws -> Result {
    try turn.withLock {
      try usingEngine { engine in
        try engine.refresh()
        return try body(engine)
      }
    }
  }

  func write<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    try inTransaction(body)
  }

  /// Carries out several writes in their order, each whole or not at all, and makes them durable with one sync.
  /// - Returns: of each body what it threw.
  /// - Throws: where nothing was saved.
  func write(_ bodies: [(WriteTransaction) throws -> Void]) throws -> [(any Error)?] {
    try inTransaction { transaction in
      bodies.map { body in
        let savepoint = transaction.savepoint()
        do {
          try EmbeddedHubStorage.translating { try body(transaction) }
          return nil
        } catch {
          transaction.rollback(to: savepoint)
          return error
        }
      }
    }
  }

  private func inTransaction<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    try writing.withLock {
      let engine = try turn.withLock { try usingEngine { $0 } }
      owes.store(true, ordering: .relaxed)
      return try forgettingEngine {
        let transaction = try engine.beginWrite()
        do {
          let result = try body(transaction)
          try transaction.commit { show throws(StorageError) in
            turn.lock()
            defer { turn.unlock() }
            try show()
          }
          return result
        } catch {
          transaction.rollback()
          throw error
        }
      }
    }
  }

  /// Whether it was opened or written to since ``maintain()`` last found nothing to do.
  var owesMaintenance: Bool { owes.load(ordering: .relaxed) }

  /// Closes the engine where nobody uses the store, and nobody waits for it. What was read from it stays as it was.
  /// - Returns: whether it is closed.
  func closeIfIdle() -> Bool {
    // A write that waits for its sync uses the engine too.
    guard writing.try() else { return false }
    defer { writing.unlock() }
    guard turn.try() else { return false }
    defer { turn.unlock() }
    engine = nil
    return true
  }

  /// Lets go of what is in memory of its files, where it is open.
  func releaseMemory() { turn.withLock { engine }?.releaseMemory() }

  /// Beside reads and writes: an engine lets others go on while it seals and merges.
  func maintain() throws -> Bool {
    let engine: StorageEngine
    do {
      engine = try turn.withLock { try usingEngine { $0 } }
      // Before the look: what is written meanwhile is looked at next time.
      owes.store(false, ordering: .relaxed)
    } catch HubStorageError.erased {
      return false
    }
    do {
      let isMore = try engine.maintain()
      if isMore { owes.store(true, ordering: .relaxed) }
      return isMore
    } catch {
      // A sync that failed shows to the next caller, who lets go of the engine.
      throw HubStorageError.store(error)
    }
  }

  /// Removes the files; whoever reads what they have mapped reads on.
  func erase(person: String) throws {
    try writing.withLock {
      try turn.withLock {
        erasedPerson = person
        engine = nil
        try EmbeddedHubStorage.translating {
          let names = try namesThere()
          for name in names { try fileSystem.remove("\(directory)/\(name)") }
          if !names.isEmpty { try fileSystem.syncDirectory(directory) }
        }
      }
    }
  }

  /// None in a folder that was never made.
  private func namesThere() throws(FileSystemError) -> [String] {
    do {
      return try fileSystem.names(inDirectory: directory)
    } catch {
      if error.code == ENOENT { return [] }
      throw error
    }
  }

  /// For the owner of `turn`.
  private func open() throws -> StorageEngine {
    func attempt() throws(StorageError) -> StorageEngine {
      try StorageEngine.open(directory: directory, fileSystem: fileSystem, options: options)
    }
    let opened: StorageEngine
    do {
      opened = try attempt()
    } catch {
      guard error.isShortOfDescriptors, makeRoom() else { throw error }
      opened = try attempt()
    }
    engine = opened
    owes.store(true, ordering: .relaxed)
    return opened
  }

  /// For the owner of `turn`.
  private func usingEngine<Result>(_ body: (StorageEngine) throws -> Result) throws -> Result {
    if let erasedPerson { throw HubStorageError.erased(person: erasedPerson) }
    return try EmbeddedHubStorage.translating {
      do {
        return try body(try engine ?? open())
      } catch StorageError.syncFailed(let path, let code) {
        engine = nil
        throw StorageError.syncFailed(path: path, code: code)
      }
    }
  }

  /// Runs what may find that a sync failed, for the owner of `writing`.
  private func forgettingEngine<Result>(_ body: () throws -> Result) throws -> Result {
    try EmbeddedHubStorage.translating {
      do {
        return try body()
      } catch StorageError.syncFailed(let path, let code) {
        // A folder that went away is not made anew behind the back of who runs the hub: that answers until a restart.
        turn.withLock { engine = nil }
        throw StorageError.syncFailed(path: path, code: code)
      }
    }
  }
}

/// What an engine and a transaction on it have in common.
protocol RecordReading {
  func get(kind: UInt8, key: RecordKey) throws(StorageError) -> Record?
  func scan(
    kind: UInt8, group: UInt64?, from lower: Int64, to upper: Int64, descending: Bool, limit: Int
  ) throws(StorageError) -> RecordList
  func count(kind: UInt8, group: UInt64?) throws(StorageError) -> Int
}

extension RecordReading {
  func scan(
    kind: UInt8, group: UInt64? = nil, from lower: Int64 = .min, to upper: Int64 = .max
  ) throws(StorageError) -> RecordList {
    try scan(kind: kind, group: group, from: lower, to: upper, descending: false, limit: .max)
  }
}

extension StorageEngine: RecordReading {}
extension WriteTransaction: RecordReading {}
