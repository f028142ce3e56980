public import TrendyFoundation
import TrendyModels
public import TrendyPersistence
public import TrendyProtocols

/// Parts of a user's store directory, for operations on all parts: the record, and the tracks if there are any.
///
/// Backups do not contain the account, so they contain no token.
public struct StoreParts: Hashable, Sendable {
  private let directory: String
  private let nowMillis: Int64

  /// Creates a reference to the parts in a directory. The clock dates backups.
  public init(storeDirectory: URL, clock: any TimeSource = SystemTime()) {
    var path = storeDirectory.path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    directory = path
    nowMillis = Int64((clock.now.timeIntervalSince1970 * 1000).rounded())
  }

  /// The record and the tracks, even if they do not exist.
  public var stores: [StoreBackup.Store] {
    [
      StoreBackup.Store(name: "record", directory: directory),
      StoreBackup.Store(name: "tracks", directory: directory + "/tracks"),
    ]
  }

  /// Writes a backup.
  /// - Parameters:
  ///   - path: Path of the backup.
  ///   - isReplacing: Whether to replace an existing file.
  ///   - key: Key with which to sign the backup, or `nil` for no signature.
  ///   - onProgress: Receives the progress and may cancel the backup.
  /// - Returns: Summary of the backup.
  /// - Throws: `StorageError`.
  public func backUp(
    to path: String, isReplacing: Bool, signedWith key: BackupKey? = nil,
    onProgress: StoreBackup.ProgressHandler = { _ in true }
  ) throws(StorageError) -> StoreBackup.Summary {
    try StoreBackup.write(
      stores, to: path, madeMillis: nowMillis, isReplacing: isReplacing, signedWith: key, onProgress: onProgress)
  }

  /// Returns whether a restore would replace existing data.
  public func isUsed() throws(StorageError) -> Bool { try StoreBackup.isUsed(stores) }

  /// Restores a backup. First writes the current data to a backup in the store directory.
  /// - Parameters:
  ///   - path: Path of the backup.
  ///   - key: Key with which the backup must be signed, or `nil` if no signature is required.
  ///   - onProgress: Receives the progress, and may cancel the restore before the first change.
  /// - Returns: Report on the restore.
  /// - Throws: `StorageError`.
  public func restore(
    from path: String, signedWith key: BackupKey? = nil,
    onProgress: StoreBackup.ProgressHandler = { _ in true }
  ) throws(StorageError) -> StoreBackup.RestoreReport {
    try StoreBackup.restore(
      from: path, to: stores, keptIn: keptPath(before: "restore"), nowMillis: nowMillis, signedWith: key,
      onProgress: onProgress)
  }

  /// Writes a backup of the current data to the store directory before another operation. The name of the operation
  /// becomes part of the file name.
  /// - Returns: Path of the backup.
  /// - Throws: `StorageError`.
  public func backUp(before what: String) throws(StorageError) -> String {
    let path = keptPath(before: what)
    // Replace an existing file, because a second backup in the same millisecond has the same name and content.
    _ = try backUp(to: path, isReplacing: true)
    return path
  }

  private func keptPath(before what: String) -> String {
    let moment = RFC3339.string(from: Date(timeIntervalSince1970: Double(nowMillis) / 1000))
    return "\(directory)/before-\(what)-\(moment.filter { $0.isNumber || $0 == "T" }).backup"
  }
}
