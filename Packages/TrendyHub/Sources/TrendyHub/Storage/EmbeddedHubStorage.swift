import Foundation
import Synchronization
public import TrendyPersistence

/// A hub's storage in plain files, with nothing to install: one store for the directory and one for each person.
///
/// The stores are opened when they are needed; of the persons' those that were used last stay open, a bounded number of them.
/// Another process may use the directory at the same time (pairing a device while the hub runs); one hub at a time serves it,
/// as two would each count their own life.
public final class EmbeddedHubStorage: HubStorage {
  let root: String
  let fileSystem: any FileSystem
  let options: StorageEngine.Options
  private let stores: Mutex<Stores>

  private struct Stores {
    /// Those that are closed, too: each is one lock for all who use it in this process.
    var all: [String: EmbeddedStore] = [:]
    var open: RecentlyUsed
    /// Whether no restore was left unfinished when this process first looked.
    var isPrepared = false
  }

  /// The directory is made, with what is above it, when something is first written.
  ///
  /// `openStores` is how many persons' stores stay open; each takes up to ``descriptorsOfStore`` descriptors, and its log in memory.
  /// More are open only while as many are in use at once.
  public init(
    directory: String, fileSystem: any FileSystem = PosixFileSystem(mapsLargePages: false),
    options: StorageEngine.Options = StorageEngine.Options(), openStores: Int = 256
  ) {
    root = directory
    self.fileSystem = fileSystem
    self.options = options
    stores = Mutex(Stores(open: RecentlyUsed(limit: openStores)))
  }

  /// Descriptors of one open store at most: manifest, chunk, the chunk before, the next one, the lock, and one on its way.
  public static let descriptorsOfStore = 6

  /// How many persons' stores are open by now.
  public var openStoreCount: Int { stores.withLock { $0.open.count } }

  public func read<Result>(person: String, _ body: (any HubReading) throws -> Result) throws -> Result {
    try withStore(of: person) { store in
      try store.read { try body(EmbeddedReading(records: $0, person: person, lastState: store.lastState)) }
    }
  }

  public func write<Result>(person: String, _ body: (any HubTransaction) throws -> Result) throws -> Result {
    try withStore(of: person) { store in
      try store.write { try body(EmbeddedTransaction(transaction: $0, person: person, lastState: store.lastState)) }
    }
  }

  public func write(
    person: String, together bodies: [(any HubTransaction) throws -> Void]
  ) throws -> [(any Error)?] {
    try withStore(of: person) { store in
      try store.write(
        bodies.map { body in
          { try body(EmbeddedTransaction(transaction: $0, person: person, lastState: store.lastState)) }
        })
    }
  }

  public func erase(person: String) throws {
    try prepare()
    let name = Self.storeName(of: person)
    try store(name).erase(person: person)
    try Self.translating {
      for file in try trackFiles(of: person) { try fileSystem.remove("\(trackFolder(of: person))/\(file)") }
    }
    stores.withLock { $0.open.onClosed(name) }
  }

  public func tracks(of person: String) throws -> any TrackRows {
    // Of one who was erased no folder is made.
    try read(person: person) { _ in }
    return try TrackFolder(directory: trackFolder(of: person), fileSystem: fileSystem, options: options)
  }

  public func hasTracks(of person: String) throws -> Bool {
    try Self.translating { try !trackFiles(of: person).isEmpty }
  }

  private func trackFolder(of person: String) -> String { "\(root)/tracks/\(Self.folder(person))" }

  public func size(of person: String) throws -> Int64? {
    try Self.translating {
      var bytes: Int64 = 0
      for folder in ["\(root)/\(Self.storeName(of: person))", trackFolder(of: person)] {
        for name in try names(inFolder: folder) {
          do throws(FileSystemError) {
            bytes += Int64(try fileSystem.open("\(folder)/\(name)", .read).size())
          } catch {
            // Merged away meanwhile.
            guard error.code == ENOENT else { throw error }
          }
        }
      }
      return bytes
    }
  }

  private func trackFiles(of person: String) throws(FileSystemError) -> [String] {
    try names(inFolder: trackFolder(of: person))
  }

  /// None in a folder that was never made.
  func names(inFolder folder: String) throws(FileSystemError) -> [String] {
    do {
      return try fileSystem.names(inDirectory: folder)
    } catch {
      if error.code == ENOENT { return [] }
      throw error
    }
  }

  public func readDirectory<Result>(_ body: (any HubDirectoryReading) throws -> Result) throws -> Result {
    try prepare()
    return try store(Self.directoryStore).read { try body(EmbeddedDirectoryReading(records: $0)) }
  }

  public func writeDirectory<Result>(_ body: (any HubDirectoryTransaction) throws -> Result) throws -> Result {
    try prepare()
    return try store(Self.directoryStore).write { try body(EmbeddedDirectoryTransaction(transaction: $0)) }
  }

  /// Completes a restore that a crash cut off, before anything is read or written.
  /// - Throws: ``HubStorageError/occupied(_:)`` while another process restores the hub.
  func prepare() throws {
    guard !stores.withLock({ $0.isPrepared }) else { return }
    if try Self.translating({ try hasUnfinishedRestore() }) { _ = try occupy() }
    stores.withLock { $0.isPrepared = true }
  }

  /// Forgets what is open, after the files were replaced.
  func closeAll() {
    stores.withLock { stores in
      for name in stores.all.keys { stores.open.onClosed(name) }
      stores.all = [:]
    }
  }

  /// Takes the folder's lock, which the kernel frees whatever ends the process, and completes a restore that a crash cut off.
  public func occupy() throws -> (any Sendable)? {
    try Self.translating {
      try fileSystem.createDirectory(root)
      let file = try fileSystem.open("\(root)/hub.lock", .create)
      guard try file.tryLock() else {
        throw HubStorageError.occupied(
          "another hub serves \(root): stop it first, or give this one a folder of its own")
      }
      try finishRestore()
      return file
    }
  }

  /// What a store's failure means to a hub.
  static func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StorageError {
      throw HubStorageError(error)
    } catch let error as FileSystemError {
      throw HubStorageError(StorageError(error))
    }
  }

  /// Whether something could be saved by now: reserves a little room on the disk, and gives it back.
  public func checkReady() throws {
    try Self.translating {
      let file = try fileSystem.open("\(root)/ready", .create)
      try file.truncate(to: 0)
      try file.allocate(Self.roomOfReadiness)
      try file.truncate(to: 0)
    }
  }

  /// Bytes: the first chunk of a store's log.
  private static let roomOfReadiness = 256 << 10

  /// One step of what keeps stores quick to open, `StorageEngine.maintain(sealingAll:mergingFrom:)`, for each that was opened or written to
  /// since nothing was left to do there; one that was closed since is opened again. For when nobody waits; who reads or
  /// writes meanwhile is not kept waiting.
  ///
  /// - Returns: whether there may be more to do at once.
  public func maintain() throws -> Bool {
    var isMore = false
    for (name, store) in stores.withLock({ $0.all }).sorted(by: { $0.key < $1.key }) where store.owesMaintenance {
      if try name == Self.directoryStore ? store.maintain() : withStore(name, { try $0.maintain() }) { isMore = true }
    }
    return isMore
  }

  /// Lets go of what is in memory of the files of stores that are open, so that who asked once about years does not have them counted
  /// as the hub's for good. They are read as before: the system holds its copy for as long as it has room.
  public func releaseMemory() {
    for store in stores.withLock({ Array($0.all.values) }) { store.releaseMemory() }
  }

  private func withStore<Result>(of person: String, _ body: (EmbeddedStore) throws -> Result) throws -> Result {
    try withStore(Self.storeName(of: person), body)
  }

  /// Runs `body` on a person's store, and closes others that nobody uses where too many are open.
  private func withStore<Result>(_ name: String, _ body: (EmbeddedStore) throws -> Result) throws -> Result {
    try prepare()
    let store = store(name)
    close(stores.withLock { $0.open.onUse(name) })
    do {
      return try body(store)
    } catch let error as HubStorageError {
      // A save that found no descriptor for its file was not made; the next try finds some.
      if case .exhausted = error { closeIdle(but: name) }
      throw error
    }
  }

  /// Closes half of the persons' stores, where nobody uses them, for want of descriptors.
  /// - Returns: whether any was closed.
  @discardableResult
  private func closeIdle(but name: String) -> Bool {
    close(stores.withLock { $0.open.leastRecent($0.open.count / 2 + 1, but: name) }) > 0
  }

  /// - Returns: how many were closed; one that is in use is not.
  @discardableResult
  private func close(_ names: [String]) -> Int {
    var count = 0
    for name in names {
      guard let store = stores.withLock({ $0.all[name] }), store.closeIfIdle() else { continue }
      stores.withLock { $0.open.onClosed(name) }
      count += 1
    }
    return count
  }

  private func store(_ name: String) -> EmbeddedStore {
    stores.withLock { stores in
      if let store = stores.all[name] { return store }
      let store = EmbeddedStore(directory: "\(root)/\(name)", fileSystem: fileSystem, options: options) { [weak self] in
        self?.closeIdle(but: name) ?? false
      }
      stores.all[name] = store
      return store
    }
  }

  private static let directoryStore = "directory"

  private static func storeName(of person: String) -> String { "people/\(folder(person))" }

  /// Ids made here are folder names as they are; whatever else a person is called by becomes one by its hash.
  static func folder(_ person: String) -> String {
    isPlainName(person[...]) ? person : "_" + SHA256Digest.hexadecimal(of: person)
  }

  /// Whether ``folder(_:)`` may have made this name.
  static func isFolderName(_ name: Substring) -> Bool {
    isPlainName(name)
      || name.utf8.count == 65 && name.hasPrefix("_")
        && name.utf8.dropFirst().allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }

  private static func isPlainName(_ name: Substring) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || $0 == UInt8(ascii: "-")
      }
  }
}

extension HubStorageError {
  /// The meaning of a store's failure to a hub.
  public init(_ error: StorageError) {
    self =
      switch error {
      case .diskFull: .full(error.description)
      case .busy: .busy(error.description)
      case _ where error.isShortOfDescriptors: .exhausted(error.description)
      default: .store(error)
      }
  }
}
