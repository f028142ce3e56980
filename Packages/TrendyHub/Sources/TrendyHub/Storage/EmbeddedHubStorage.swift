import Foundation
import Synchronization
public import TrendyPersistence

/// Hub storage in plain files: one store for the directory and one for each user.
///
/// Stores are opened on demand, and a bounded number of the most recently used ones stay open. Other processes may use
/// the files at the same time, for example to pair a device while the hub is running. Only one hub may serve them,
/// because two hubs would count epochs independently.
public final class EmbeddedHubStorage: HubStorage {
  let root: String
  let fileSystem: any FileSystem
  let options: StorageEngine.Options
  private let stores: Mutex<Stores>

  private struct Stores {
    /// All stores used so far, including closed ones. A store also owns its user's locks within this process.
    var all: [String: EmbeddedStore] = [:]
    var open: RecentlyUsed
    /// Whether an interrupted restore has been looked for and, if found, completed.
    var isPrepared = false
  }

  /// Creates a storage. Its directory is created on the first write.
  ///
  /// `openStores` is the number of users' stores to keep open. Each store uses up to ``descriptorsOfStore`` file
  /// descriptors and keeps an index of its log in memory. The limit is exceeded only while more stores are in use at
  /// the same time.
  public init(
    directory: String, fileSystem: any FileSystem = PosixFileSystem(mapsLargePages: false),
    options: StorageEngine.Options = StorageEngine.Options(), openStores: Int = 256
  ) {
    root = directory
    self.fileSystem = fileSystem
    self.options = options
    stores = Mutex(Stores(open: RecentlyUsed(limit: openStores)))
  }

  /// Maximum number of file descriptors of an open store: manifest, three chunks, lock file, and a file being created.
  public static let descriptorsOfStore = 6

  /// Number of users' stores currently open.
  public var openStoreCount: Int { stores.withLock { $0.open.count } }

  public func read<Result>(user: String, _ body: (any HubReadTransaction) throws -> Result) throws -> Result {
    try withStore(of: user) { store in
      try store.read { try body(EmbeddedReading(records: $0, user: user, lastState: store.lastState)) }
    }
  }

  public func write<Result>(user: String, _ body: (any HubTransaction) throws -> Result) throws -> Result {
    try withStore(of: user) { store in
      try store.write { try body(EmbeddedTransaction(transaction: $0, user: user, lastState: store.lastState)) }
    }
  }

  public func write(
    user: String, together bodies: [(any HubTransaction) throws -> Void]
  ) throws -> [(any Error)?] {
    try withStore(of: user) { store in
      try store.write(
        bodies.map { body in
          { try body(EmbeddedTransaction(transaction: $0, user: user, lastState: store.lastState)) }
        })
    }
  }

  public func erase(user: String) throws {
    try prepare()
    let name = Self.storeName(of: user)
    try store(name).erase(user: user)
    try Self.translating {
      for file in try trackFiles(of: user) { try fileSystem.remove("\(trackFolder(of: user))/\(file)") }
    }
    stores.withLock { $0.open.onClosed(name) }
  }

  public func tracks(of user: String) throws -> any TrackRows {
    // Opening the track log would create a directory, so check first that the user has not been erased.
    try read(user: user) { _ in }
    return try TrackFolder(directory: trackFolder(of: user), fileSystem: fileSystem, options: options)
  }

  public func hasTracks(of user: String) throws -> Bool {
    try Self.translating { try !trackFiles(of: user).isEmpty }
  }

  private func trackFolder(of user: String) -> String { "\(root)/tracks/\(Self.folder(user))" }

  public func size(of user: String) throws -> Int64? {
    try Self.translating {
      var bytes: Int64 = 0
      for folder in ["\(root)/\(Self.storeName(of: user))", trackFolder(of: user)] {
        for name in try names(inFolder: folder) {
          do throws(FileSystemError) {
            bytes += Int64(try fileSystem.open("\(folder)/\(name)", .read).size())
          } catch {
            // A segment merge has removed the file.
            guard error.code == ENOENT else { throw error }
          }
        }
      }
      return bytes
    }
  }

  private func trackFiles(of user: String) throws(FileSystemError) -> [String] {
    try names(inFolder: trackFolder(of: user))
  }

  /// Returns the names in a directory, or an empty array if it does not exist.
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

  /// Completes an interrupted restore. Called before anything is read or written.
  ///
  /// - Throws: ``HubStorageError/occupied(_:)`` while another process is restoring the hub.
  func prepare() throws {
    guard !stores.withLock({ $0.isPrepared }) else { return }
    if try Self.translating({ try hasUnfinishedRestore() }) { _ = try acquireExclusiveAccess() }
    stores.withLock { $0.isPrepared = true }
  }

  /// Discards all open stores because their files have been replaced.
  func closeAll() {
    stores.withLock { stores in
      for name in stores.all.keys { stores.open.onClosed(name) }
      stores.all = [:]
    }
  }

  /// Acquires the directory's lock and completes an interrupted restore.
  ///
  /// The kernel releases the lock when the process ends for any reason.
  public func acquireExclusiveAccess() throws -> (any Sendable)? {
    try Self.translating {
      try fileSystem.createDirectory(root)
      let file = try fileSystem.open("\(root)/hub.lock", .create)
      guard try file.tryLock() else {
        throw HubStorageError.occupied(
          "another hub is using \(root): stop it, or choose another folder for this hub")
      }
      try finishRestore()
      return file
    }
  }

  /// Runs `body` and converts storage and file errors to ``HubStorageError``.
  static func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StorageError {
      throw HubStorageError(error)
    } catch let error as FileSystemError {
      throw HubStorageError(StorageError(error))
    }
  }

  /// Checks that data can be saved now, by allocating some disk space and releasing it again.
  public func checkReady() throws {
    try Self.translating {
      let file = try fileSystem.open("\(root)/ready", .create)
      try file.truncate(to: 0)
      try file.allocate(Self.roomOfReadiness)
      try file.truncate(to: 0)
    }
  }

  /// Size in bytes of the first chunk in a store's log.
  private static let roomOfReadiness = 256 << 10

  /// Performs one maintenance step on each store opened or written since its last complete maintenance.
  ///
  /// A step is one call of `StorageEngine.maintain(sealingAll:mergingFrom:)`. Closed stores are reopened for it. Reads
  /// and writes continue in the meantime.
  ///
  /// - Returns: Whether more work may be pending.
  public func maintain() throws -> Bool {
    var isMore = false
    for (name, store) in stores.withLock({ $0.all }).sorted(by: { $0.key < $1.key }) where store.owesMaintenance {
      if try name == Self.directoryStore ? store.maintain() : withStore(name, { try $0.maintain() }) { isMore = true }
    }
    return isMore
  }

  /// Releases the mapped memory of the stores' files.
  ///
  /// Otherwise the memory mapped by one large query would count towards the hub's memory use from then on. Later reads
  /// map the pages again, which the kernel keeps in its page cache while it has free memory.
  public func releaseMemory() {
    for store in stores.withLock({ Array($0.all.values) }) { store.releaseMemory() }
  }

  private func withStore<Result>(of user: String, _ body: (EmbeddedStore) throws -> Result) throws -> Result {
    try withStore(Self.storeName(of: user), body)
  }

  /// Runs `body` with a user's store, then closes idle stores if too many are open.
  private func withStore<Result>(_ name: String, _ body: (EmbeddedStore) throws -> Result) throws -> Result {
    try prepare()
    let store = store(name)
    close(stores.withLock { $0.open.onUse(name) })
    do {
      return try body(store)
    } catch let error as HubStorageError {
      // The save failed for lack of a file descriptor. Close stores, so the next attempt succeeds.
      if case .exhausted = error { closeIdle(but: name) }
      throw error
    }
  }

  /// Closes about half of the users' stores to free file descriptors, except those in use.
  ///
  /// - Returns: Whether any store was closed.
  @discardableResult
  private func closeIdle(but name: String) -> Bool {
    close(stores.withLock { $0.open.leastRecent($0.open.count / 2 + 1, but: name) }) > 0
  }

  /// Closes the given stores, except those in use, and returns how many were closed.
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

  private static func storeName(of user: String) -> String { "people/\(folder(user))" }

  /// Returns the name of a user's directory: the id if the hub created it, otherwise the id's hash.
  static func folder(_ user: String) -> String {
    isPlainName(user[...]) ? user : "_" + SHA256Digest.hexadecimal(of: user)
  }

  /// Returns whether ``folder(_:)`` can return this name.
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
  /// Converts a store's error to the error that a hub reports.
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
