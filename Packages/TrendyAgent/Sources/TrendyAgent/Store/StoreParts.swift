public import TrendyFoundation
import TrendyModels
public import TrendyPersistence
public import TrendyProtocols

/// What a person's folder is made of, for those who look after it as a whole: the record, and the tracks where there are some.
///
/// The pairing with a hub is no part of a backup: whoever finds one gets no token.
public struct StoreParts: Hashable, Sendable {
  private let directory: String
  private let nowMillis: Int64

  public init(storeDirectory: URL, clock: any TimeSource = SystemTime()) {
    var path = storeDirectory.path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    directory = path
    nowMillis = Int64((clock.now.timeIntervalSince1970 * 1000).rounded())
  }

  public var stores: [StoreBackup.Store] {
    [
      StoreBackup.Store(name: "record", directory: directory),
      StoreBackup.Store(name: "tracks", directory: directory + "/tracks"),
    ]
  }

  /// - Parameters:
  ///   - path: of the backup.
  ///   - isReplacing: whether a file that is there may go.
  ///   - key: signs the backup.
  ///   - onProgress: may cancel it.
  /// - Throws: `StorageError`.
  public func backUp(
    to path: String, isReplacing: Bool, signedWith key: BackupKey? = nil,
    onProgress: StoreBackup.ProgressHandler = { _ in true }
  ) throws(StorageError) -> StoreBackup.Summary {
    try StoreBackup.write(
      stores, to: path, madeMillis: nowMillis, isReplacing: isReplacing, signedWith: key, onProgress: onProgress)
  }

  /// Whether there is anything that a restore would put aside.
  public func isUsed() throws(StorageError) -> Bool { try StoreBackup.isUsed(stores) }

  /// Keeps what is there now in a backup of its own in the same folder.
  /// - Parameters:
  ///   - path: of the backup.
  ///   - key: the key with which the backup must be signed.
  ///   - onProgress: may cancel it until something has changed.
  /// - Throws: `StorageError`.
  public func restore(
    from path: String, signedWith key: BackupKey? = nil,
    onProgress: StoreBackup.ProgressHandler = { _ in true }
  ) throws(StorageError) -> StoreBackup.RestoreReport {
    try StoreBackup.restore(
      from: path, to: stores, keptIn: keptPath(before: "restore"), nowMillis: nowMillis, signedWith: key,
      onProgress: onProgress)
  }

  /// Keeps all that is here in the same folder, before something is done to it.
  /// - Returns: the backup's path.
  /// - Throws: `StorageError`.
  public func backUp(before what: String) throws(StorageError) -> String {
    let path = keptPath(before: what)
    // Twice within a millisecond is once.
    _ = try backUp(to: path, isReplacing: true)
    return path
  }

  private func keptPath(before what: String) -> String {
    let moment = RFC3339.string(from: Date(timeIntervalSince1970: Double(nowMillis) / 1000))
    return "\(directory)/before-\(what)-\(moment.filter { $0.isNumber || $0 == "T" }).backup"
  }
}
