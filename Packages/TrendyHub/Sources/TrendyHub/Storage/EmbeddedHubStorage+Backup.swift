public import Foundation
import TrendyModels
public import TrendyPersistence

extension EmbeddedHubStorage {
  /// Users whose state in a backup is older than the tombstones that this hub has already reduced to ids.
  public struct StaleBackup: Error, Hashable, Sendable {
    /// Names of the users' folders.
    public var people: [String]

    public init(people: [String]) { self.people = people }
  }

  /// Writes everything the hub keeps into one file. A hub that serves the folder continues meanwhile; of each user the backup holds
  /// one moment.
  /// With a key the backup is signed.
  /// - Throws: as `StoreBackup.write`.
  public func backUp(
    to path: String, now: Date, isReplacing: Bool = false, signedWith key: BackupKey? = nil,
    onProgress: StoreBackup.ProgressHandler = { _ in true }
  ) throws -> StoreBackup.Summary {
    // A user who is added meanwhile may be in the directory of the backup and has no entries in it.
    let folders = try readDirectory { try $0.people() }.filter { !$0.isErasing }.map { Self.folder($0.id) }
    let parts = [BackupPart.directory] + folders.map(BackupPart.user) + folders.map(BackupPart.tracks)
    return try StoreBackup.write(
      parts.map { StoreBackup.Store(name: $0.name, directory: "\(root)/\($0.path)") }, to: path,
      madeMillis: now.milliseconds, isReplacing: isReplacing, signedWith: key, fileSystem: fileSystem, options: options,
      onProgress: onProgress)
  }

  /// Replaces the hub's data by a backup; the former data stays in a folder `before-restore-…` beside it. No hub may serve the folder.
  ///
  /// The backup is checked whole, then unpacked into an empty folder, then put in place by renaming. Until the first rename the hub is
  /// untouched; from then on the next program that opens the hub completes what a crash cut off.
  ///
  /// The hub's next start begins a new epoch, by which every device notices that the hub lost later changes, and sends them again.
  ///
  /// Forced, it accepts a backup from before the horizon, which revives what was deleted and forgotten since.
  /// With a key only a backup that was signed with it is accepted.
  /// - Throws: ``StaleBackup``; ``HubStorageError/occupied(_:)``; `StorageError` as `StoreBackup.check`; then nothing was changed.
  public func restore(
    from path: String, signedWith key: BackupKey? = nil, now: Date, isForced: Bool = false,
    onProgress: StoreBackup.ProgressHandler = { _ in true }
  ) throws -> StoreBackup.RestoreReport {
    let occupation = try occupy()
    defer { withExtendedLifetime(occupation) {} }
    let summary = try StoreBackup.check(path, signedWith: key, fileSystem: fileSystem, onProgress: onProgress)
    for name in summary.records.keys.sorted() { _ = try Self.part(name, in: path) }
    guard summary.records[BackupPart.directory.name] != nil else {
      throw StorageError.notABackup(path: path, offset: 0, reason: "it is no backup of a hub")
    }
    let staging = "\(root)/restoring"
    do {
      // What an attempt left that was cut off.
      try removeFolder(staging)
      for folder in Self.dataFolders { try fileSystem.createDirectory("\(staging)/\(Self.unpacked)/\(folder)") }
      let unpacked = "\(staging)/\(Self.unpacked)"
      try StoreBackup.unpack(
        path, signedWith: key, fileSystem: fileSystem, options: options, onProgress: onProgress
      ) { name throws(StorageError) in "\(unpacked)/\(try Self.part(name, in: path).path)" }
      try checkDirectory(of: unpacked, from: path)
      if !isForced {
        let stale = try peopleBehindHorizon(in: unpacked)
        guard stale.isEmpty else { throw StaleBackup(people: stale) }
      }
      let moment = RFC3339.string(from: now).filter { $0.isNumber || $0 == "T" }
      try fileSystem.rename(staging, to: "\(root)/\(Self.replacing)\(moment)")
      try fileSystem.syncDirectory(root)
    } catch {
      // Only gives the room back; the next restore removes it, too.
      try? removeFolder(staging)
      if let failure = error as? FileSystemError { throw StorageError(failure) }
      throw error
    }
    let kept = try Self.translating { try finishRestore() }
    closeAll()
    return StoreBackup.RestoreReport(summary: summary, kept: kept)
  }

  /// Whether a hub's data is in the folder.
  /// - Throws: ``HubStorageError``.
  public func exists() throws -> Bool {
    try prepare()
    return try Self.translating { try isFolder("\(root)/directory") }
  }

  // MARK: Putting a backup in place

  /// Folders with the hub's data.
  private static let dataFolders = ["directory", "people", "tracks"]
  /// Prefix of the folder of a restore that has begun to replace the hub's data.
  private static let replacing = "restored-"
  /// Folder with the data that is still to be put in place.
  private static let unpacked = "new"

  func hasUnfinishedRestore() throws(FileSystemError) -> Bool {
    try names(inFolder: root).contains { $0.hasPrefix(Self.replacing) }
  }

  /// Puts the data of a restore in place, after a crash too. For the owner of the hub's lock.
  ///
  /// Each step leaves a state from which the same steps complete the restore.
  /// - Returns: the folders with the former data.
  @discardableResult
  func finishRestore() throws(FileSystemError) -> [String] {
    var kept: [String] = []
    for name in try names(inFolder: root) where name.hasPrefix(Self.replacing) {
      let folder = "\(root)/\(name)"
      let new = "\(folder)/\(Self.unpacked)"
      for part in Self.dataFolders where try isFolder("\(new)/\(part)") {
        // A second folder is one that another program made between two steps.
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

  /// Removes a folder and all it holds.
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

  /// Reads every row of the directory.
  private func checkDirectory(of data: String, from path: String) throws {
    do {
      try EmbeddedStore(directory: "\(data)/directory", fileSystem: fileSystem, options: options).read { records in
        let reading = EmbeddedDirectoryReading(records: records)
        _ = (try reading.people(), try reading.devices(), try reading.pairingCodes(), try reading.webhooks())
      }
    } catch {
      throw StorageError.notABackup(path: path, offset: 0, reason: "its list of users cannot be read")
    }
  }

  /// Compares how far each user's counter had come with what the hub has forgotten since.
  private func peopleBehindHorizon(in data: String) throws -> [String] {
    func state(_ folder: String, in root: String) throws -> HubState {
      try EmbeddedStore(directory: "\(root)/people/\(folder)", fileSystem: fileSystem, options: options).read {
        try EmbeddedReading(records: $0, person: folder).state()
      }
    }
    return try Self.translating { try names(inFolder: "\(data)/people") }.filter { folder in
      // A check leaves the hub as it was: it makes no store where there is none.
      guard try Self.translating({ try isFolder("\(root)/people/\(folder)") }) else { return false }
      return try state(folder, in: data).head < state(folder, in: root).horizon
    }
  }

  // MARK: Stores in a backup

  /// A store of a hub.
  private enum BackupPart {
    case directory
    /// With the name of the user's folder.
    case user(String)
    case tracks(String)

    /// Reads a name in a backup; `nil` for any other. The path that follows from it lies in the hub's folder.
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

    /// Below the folder that holds the hub's data.
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
      throw .notABackup(path: path, offset: 0, reason: "it is no backup of a hub: it holds a store '\(name)'")
    }
    return part
  }
}
