public import Foundation
import TrendyModels
public import TrendyPersistence

extension EmbeddedHubStorage {
  /// Error thrown if a user's head in a backup is below the running hub's horizon.
  ///
  /// Restoring such a backup would lose tombstones that have been compacted since, so deleted entities could reappear.
  public struct StaleBackup: Error, Hashable, Sendable {
    /// Names of the users' directories.
    public var users: [String]

    public init(users: [String]) { self.users = users }
  }

  /// Writes all of the hub's data to one file. A hub that is serving the directory can keep running.
  ///
  /// The data of each user is consistent as of one point in time. If a key is given, the backup is signed.
  ///
  /// - Throws: The errors of `StoreBackup.write`.
  public func backUp(
    to path: String, now: Date, isReplacing: Bool = false, signedWith key: BackupKey? = nil,
    onProgress: StoreBackup.ProgressHandler = { _ in true }
  ) throws -> StoreBackup.Summary {
    // A user created during the backup may be listed in the directory store but have no entries in the backup yet.
    let folders = try readDirectory { try $0.users() }.filter { !$0.isErasing }.map { Self.folder($0.id) }
    let parts = [BackupPart.directory] + folders.map(BackupPart.user) + folders.map(BackupPart.tracks)
    return try StoreBackup.write(
      parts.map { StoreBackup.Store(name: $0.name, directory: "\(root)/\($0.path)") }, to: path,
      madeMillis: now.milliseconds, isReplacing: isReplacing, signedWith: key, fileSystem: fileSystem, options: options,
      onProgress: onProgress)
  }

  /// Replaces the hub's data with a backup.
  ///
  /// The previous data is moved to a directory `before-restore-…` beside it.
  ///
  /// No hub may be serving the directory. The backup is verified completely, unpacked to an empty directory, and moved
  /// into place by renames. Before the first rename, the hub is unchanged. After it, the next program that opens the
  /// hub completes an interrupted restore.
  ///
  /// The next hub start begins a new epoch, so devices notice that the hub has lost changes and send them again.
  ///
  /// With `isForced`, a backup from before the horizon is accepted, and entities deleted since may reappear. If a key
  /// is given, only a backup signed with it is accepted.
  ///
  /// - Throws: ``StaleBackup``, ``HubStorageError/occupied(_:)``, or a `StorageError` from `StoreBackup.check`. In each
  ///   case nothing was changed.
  public func restore(
    from path: String, signedWith key: BackupKey? = nil, now: Date, isForced: Bool = false,
    onProgress: StoreBackup.ProgressHandler = { _ in true }
  ) throws -> StoreBackup.RestoreReport {
    let occupation = try acquireExclusiveAccess()
    defer { withExtendedLifetime(occupation) {} }
    let summary = try StoreBackup.check(path, signedWith: key, fileSystem: fileSystem, onProgress: onProgress)
    for name in summary.records.keys.sorted() { _ = try Self.part(name, in: path) }
    guard summary.records[BackupPart.directory.name] != nil else {
      throw StorageError.notABackup(path: path, offset: 0, reason: "not a backup of a hub")
    }
    let staging = "\(root)/restoring"
    do {
      // Remove what an interrupted attempt left behind.
      try removeFolder(staging)
      for folder in Self.dataFolders { try fileSystem.createDirectory("\(staging)/\(Self.unpacked)/\(folder)") }
      let unpacked = "\(staging)/\(Self.unpacked)"
      try StoreBackup.unpack(
        path, signedWith: key, fileSystem: fileSystem, options: options, onProgress: onProgress
      ) { name throws(StorageError) in "\(unpacked)/\(try Self.part(name, in: path).path)" }
      try checkDirectory(of: unpacked, from: path)
      if !isForced {
        let stale = try peopleBehindHorizon(in: unpacked)
        guard stale.isEmpty else { throw StaleBackup(users: stale) }
      }
      let moment = RFC3339.string(from: now).filter { $0.isNumber || $0 == "T" }
      try fileSystem.rename(staging, to: "\(root)/\(Self.replacing)\(moment)")
      try fileSystem.syncDirectory(root)
    } catch {
      // Free disk space early, although the next restore would remove the directory anyway.
      try? removeFolder(staging)
      if let failure = error as? FileSystemError { throw StorageError(failure) }
      throw error
    }
    let kept = try Self.translating { try finishRestore() }
    closeAll()
    return StoreBackup.RestoreReport(summary: summary, kept: kept)
  }

  /// Returns whether the directory contains a hub's data.
  ///
  /// - Throws: ``HubStorageError``.
  public func exists() throws -> Bool {
    try prepare()
    return try Self.translating { try isFolder("\(root)/directory") }
  }

  // MARK: Putting a backup in place

  private static let dataFolders = ["directory", "people", "tracks"]
  /// Name prefix of the directory of a restore that has begun to replace the hub's data.
  private static let replacing = "restored-"
  /// Subdirectory for data not yet moved into place.
  private static let unpacked = "new"

  func hasUnfinishedRestore() throws(FileSystemError) -> Bool {
    try names(inFolder: root).contains { $0.hasPrefix(Self.replacing) }
  }

  /// Moves restored data into place, even after a crash. The caller must hold the hub's lock.
  ///
  /// An interruption at any point is harmless: calling this again completes the restore.
  ///
  /// - Returns: Paths of the directories that contain the previous data.
  @discardableResult
  func finishRestore() throws(FileSystemError) -> [String] {
    var kept: [String] = []
    for name in try names(inFolder: root) where name.hasPrefix(Self.replacing) {
      let folder = "\(root)/\(name)"
      let new = "\(folder)/\(Self.unpacked)"
      for part in Self.dataFolders where try isFolder("\(new)/\(part)") {
        // Another program may have created the directory between two steps.
        if try isFolder("\(root)/\(part)") { try move("\(root)/\(part)", to: try freeName("\(folder)/\(part)")) }
        try move("\(new)/\(part)", to: "\(root)/\(part)")
      }
      if try isFolder(new) { try removeFolder(new) }
      if try names(inFolder: folder).isEmpty {
        try removeFolder(folder)
      } else {
        let target = try freeName("\(root)/before-restore-\(name.dropFirst(Self.replacing.count))")
        try fileSystem.rename(folder, to: target)
        kept.append(target)
      }
      try fileSystem.syncDirectory(root)
    }
    return kept
  }

  private func move(_ path: String, to target: String) throws(FileSystemError) {
    try fileSystem.rename(path, to: target)
    for path in [target, path] {
      try fileSystem.syncDirectory(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
    }
  }

  private func freeName(_ path: String) throws(FileSystemError) -> String {
    guard try isFolder(path) else { return path }
    var number = 2
    while try isFolder("\(path)-\(number)") { number += 1 }
    return "\(path)-\(number)"
  }

  private func isFolder(_ path: String) throws(FileSystemError) -> Bool {
    do {
      _ = try fileSystem.names(inDirectory: path)
      return true
    } catch {
      guard error.code == ENOENT else { throw error }
      return false
    }
  }

  private func removeFolder(_ path: String) throws(FileSystemError) {
    guard try isFolder(path) else { return }
    for name in try fileSystem.names(inDirectory: path) {
      let entry = "\(path)/\(name)"
      do {
        try fileSystem.remove(entry)
      } catch {
        guard error.code == ENOTEMPTY || error.code == EEXIST else { throw error }
        try removeFolder(entry)
      }
    }
    try fileSystem.remove(path)
  }

  // MARK: Checks

  /// Verifies that every row of the directory store can be decoded.
  private func checkDirectory(of data: String, from path: String) throws {
    do {
      try EmbeddedStore(directory: "\(data)/directory", fileSystem: fileSystem, options: options).read { records in
        let reading = EmbeddedDirectoryReading(records: records)
        _ = (try reading.users(), try reading.devices(), try reading.pairingCodes(), try reading.webhooks())
      }
    } catch {
      throw StorageError.notABackup(path: path, offset: 0, reason: "invalid list of users")
    }
  }

  /// Returns the users whose head in the backup is below the running hub's horizon.
  private func peopleBehindHorizon(in data: String) throws -> [String] {
    func state(_ folder: String, in root: String) throws -> HubState {
      try EmbeddedStore(directory: "\(root)/people/\(folder)", fileSystem: fileSystem, options: options).read {
        try EmbeddedReading(records: $0, user: folder).state()
      }
    }
    return try Self.translating { try names(inFolder: "\(data)/people") }.filter { folder in
      // Opening a store creates it, so skip users that the running hub does not have.
      guard try Self.translating({ try isFolder("\(root)/people/\(folder)") }) else { return false }
      return try state(folder, in: data).head < state(folder, in: root).horizon
    }
  }

  // MARK: Stores in a backup

  private enum BackupPart {
    case directory
    /// A user's record, with the name of the user's directory.
    case user(String)
    case tracks(String)

    /// Parses the name of a store in a backup, or returns `nil` if it is invalid.
    ///
    /// The resulting path is always inside the hub's directory.
    init?(name: String) {
      if name == Self.directory.name {
        self = .directory
      } else if name.hasPrefix("~") {
        guard let folder = Self.folder(name.dropFirst()) else { return nil }
        self = .tracks(folder)
      } else {
        guard let folder = Self.folder(name[...]) else { return nil }
        self = .user(folder)
      }
    }

    var name: String {
      switch self {
      case .directory: "@directory"
      case .user(let folder): folder
      case .tracks(let folder): "~" + folder
      }
    }

    /// Path relative to the directory that contains the hub's data.
    var path: String {
      switch self {
      case .directory: "directory"
      case .user(let folder): "people/\(folder)"
      case .tracks(let folder): "tracks/\(folder)"
      }
    }

    private static func folder(_ name: Substring) -> String? {
      EmbeddedHubStorage.isFolderName(name) ? String(name) : nil
    }
  }

  private static func part(_ name: String, in path: String) throws(StorageError) -> BackupPart {
    guard let part = BackupPart(name: name) else {
      throw .notABackup(path: path, offset: 0, reason: "not a backup of a hub: unexpected store '\(name)'")
    }
    return part
  }
}
