import Foundation
import Synchronization
import TrendyPersistence

/// Storage engine that is opened on demand, and reopened after a failed sync, because its state in memory may then
/// differ from the disk.
///
/// Reads see only durable data. A write becomes visible after its sync, because a device could otherwise receive an
/// entry that a crash then removes. A read never waits for a sync and sees each write completely or not at all.
///
/// @unchecked: `engine` and `erasedPerson` are accessed only while `turn` is locked.
final class EmbeddedStore: @unchecked Sendable {
  private let directory: String
  private let fileSystem: any FileSystem
  private let options: StorageEngine.Options
  /// Locked during an entire write, including its sync. Acquired before `turn`.
  private let writing = NSLock()
  /// Locked during a read and while a write becomes visible, but never during a sync.
  private let turn = NSLock()
  private var engine: StorageEngine?
  private var erasedPerson: String?
  private let owes = Atomic(false)
  let lastState = LastState()
  /// Closes idle stores to free file descriptors, without waiting. Returns whether any store was closed.
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

  /// Performs several writes in order, each atomically, and makes them durable with a single sync.
  ///
  /// - Returns: For each body, the error it threw, or `nil`.
  /// - Throws: An error if nothing was saved.
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

  /// Whether the store was opened or written since ``maintain()`` last found nothing to do.
  var owesMaintenance: Bool { owes.load(ordering: .relaxed) }

  /// Closes the engine unless a call is using the store or waiting for it. Rows read earlier stay valid.
  ///
  /// - Returns: Whether the engine is closed.
  func closeIfIdle() -> Bool {
    // A write that is waiting for its sync is still using the engine, so do not close it.
    guard writing.try() else { return false }
    defer { writing.unlock() }
    guard turn.try() else { return false }
    defer { turn.unlock() }
    engine = nil
    return true
  }

  func releaseMemory() { turn.withLock { engine }?.releaseMemory() }

  func maintain() throws -> Bool {
    let engine: StorageEngine
    do {
      engine = try turn.withLock { try usingEngine { $0 } }
      // Reset the flag first, because a write during maintenance sets it again.
      owes.store(false, ordering: .relaxed)
    } catch HubStorageError.erased {
      return false
    }
    do {
      let isMore = try engine.maintain()
      if isMore { owes.store(true, ordering: .relaxed) }
      return isMore
    } catch {
      // A failed sync is also reported to the next caller, which then discards the engine.
      throw HubStorageError.store(error)
    }
  }

  /// Deletes the files. Readers that have mapped them can continue.
  func erase(user: String) throws {
    try writing.withLock {
      try turn.withLock {
        erasedPerson = user
        engine = nil
        try EmbeddedHubStorage.translating {
          let names = try namesThere()
          for name in names { try fileSystem.remove("\(directory)/\(name)") }
          if !names.isEmpty { try fileSystem.syncDirectory(directory) }
        }
      }
    }
  }

  /// Returns the names of the files, or an empty array if the directory does not exist.
  private func namesThere() throws(FileSystemError) -> [String] {
    do {
      return try fileSystem.names(inDirectory: directory)
    } catch {
      if error.code == ENOENT { return [] }
      throw error
    }
  }

  /// Opens the engine. The caller must hold `turn`.
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

  /// Runs `body` with the engine, opening it if necessary. The caller must hold `turn`.
  private func usingEngine<Result>(_ body: (StorageEngine) throws -> Result) throws -> Result {
    if let erasedPerson { throw HubStorageError.erased(user: erasedPerson) }
    return try EmbeddedHubStorage.translating {
      do {
        return try body(try engine ?? open())
      } catch StorageError.syncFailed(let path, let code) {
        engine = nil
        throw StorageError.syncFailed(path: path, code: code)
      }
    }
  }

  /// Runs `body`, and discards the engine if a sync failed. The caller must hold `writing`.
  private func forgettingEngine<Result>(_ body: () throws -> Result) throws -> Result {
    try EmbeddedHubStorage.translating {
      do {
        return try body()
      } catch StorageError.syncFailed(let path, let code) {
        // Do not recreate a removed directory without the operator's knowledge: the store fails until a restart.
        turn.withLock { engine = nil }
        throw StorageError.syncFailed(path: path, code: code)
      }
    }
  }
}

protocol RecordReading {
  func get(kind: UInt8, key: RowKey) throws(StorageError) -> Row?
  func scan(
    kind: UInt8, group: UInt64?, from lower: Int64, to upper: Int64, descending: Bool, limit: Int
  ) throws(StorageError) -> RowList
  func count(kind: UInt8, group: UInt64?) throws(StorageError) -> Int
}

extension RecordReading {
  func scan(
    kind: UInt8, group: UInt64? = nil, from lower: Int64 = .min, to upper: Int64 = .max
  ) throws(StorageError) -> RowList {
    try scan(kind: kind, group: group, from: lower, to: upper, descending: false, limit: .max)
  }
}

extension StorageEngine: RecordReading {}
extension WriteTransaction: RecordReading {}
