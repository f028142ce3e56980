public import Foundation
public import TrendyPersistence

extension EmbeddedHubStorage {
  /// Persons whose state in a backup is older than what this hub has already shrunk to bare ids.
  public struct StaleBackup: Error, Hashable, Sendable {
    /// By id, as the folders have them.
    public var people: [String]

    public init(people: [String]) { self.people = people }
  }

  /// Writes everything the hub keeps into one file. A hub that serves the folder goes on meanwhile; of each person it is one
  /// moment.
  /// `tracks` is a folder with a store of fixes for each person, under the person's id, that goes along.
  /// - Throws: as `StoreBackup.write`.
  public func backUp(
    to path: String, tracks: String? = nil, now: Date, isReplacing: Bool = false,
    onProgress: StoreBackup.ProgressHandler = { _ in true }
  ) throws -> StoreBackup.Summary {
    // Who comes meanwhile is called by name in it, perhaps, and has written nothing.
    let people = try readDirectory { try $0.people() }.filter { !$0.isErasing }.map { Self.folder($0.id) }
    return try StoreBackup.write(
      stores(of: people, in: root) + tracksStores(of: people, in: tracks), to: path, madeMillis: now.milliseconds,
      isReplacing: isReplacing, fileSystem: fileSystem, options: options, onProgress: onProgress)
  }

  /// Puts a backup in the place of what is here, which is kept in a backup of its own at `keptPath`. No hub may serve it.
  ///
  /// The hub's next start begins a new life, by which every device sees that it lost what came after, and brings it back.
  ///
  /// Forced, it takes also a backup from before the horizon, which revives what was deleted and forgotten since.
  /// - Throws: ``StaleBackup``; ``HubStorageError/occupied(_:)``; then nothing was touched. As `StoreBackup.restore`.
  public func restore(
    from path: String, tracks: String? = nil, keptIn keptPath: String, now: Date, isForced: Bool = false,
    onProgress: StoreBackup.ProgressHandler = { _ in true }
  ) throws -> StoreBackup.RestoreReport {
    let occupation = try occupy()
    defer { withExtendedLifetime(occupation) {} }
    let people = try StoreBackup.check(path, fileSystem: fileSystem).records.keys.sorted()
      .filter { $0 != Self.directoryName && !$0.hasPrefix(Self.tracksPrefix) }.map(Self.folder(ofStore:))
    if !isForced {
      let stale = try peopleBehindHorizon(of: path, among: people, now: now, onProgress)
      guard stale.isEmpty else { throw StaleBackup(people: stale) }
    }
    return try StoreBackup.restore(
      from: path, to: stores(of: people, in: root) + tracksStores(of: people, in: tracks), keptIn: keptPath,
      nowMillis: now.milliseconds,
      fileSystem: fileSystem, options: options, onProgress: onProgress)
  }

  /// Unpacks the backup beside the hub to read how far each person's counter had come.
  private func peopleBehindHorizon(
    of path: String, among people: [String], now: Date, _ onProgress: StoreBackup.ProgressHandler
  ) throws -> [String] {
    let staging = "\(root)/restoring"
    let stores = stores(of: people, in: staging)
    defer {
      // What cannot be removed is only in the way of nothing: the next restore unpacks over it.
      for store in stores { try? removeFiles(in: store.directory) }
    }
    for store in stores { try? removeFiles(in: store.directory) }
    _ = try StoreBackup.restore(
      from: path, to: stores, keptIn: "\(staging)/kept", nowMillis: now.milliseconds, fileSystem: fileSystem,
      options: options, onProgress: onProgress)
    return try people.filter { folder in
      func state(in root: String) throws -> HubState {
        try EmbeddedStore(directory: "\(root)/people/\(folder)", fileSystem: fileSystem, options: options).read {
          try EmbeddedReading(records: $0, person: folder).state()
        }
      }
      return try state(in: staging).head < state(in: root).horizon
    }
  }

  private func removeFiles(in directory: String) throws {
    for name in try fileSystem.names(inDirectory: directory) { try fileSystem.remove("\(directory)/\(name)") }
  }

  // MARK: Names of stores in a backup: at most 64 bytes

  private static let directoryName = "/directory"
  private static let tracksPrefix = "~"

  private func tracksStores(of people: [String], in directory: String?) -> [StoreBackup.Store] {
    guard let directory else { return [] }
    return people.map {
      StoreBackup.Store(name: Self.tracksPrefix + Self.storeName(ofFolder: $0), directory: "\(directory)/\($0)")
    }
  }

  private func stores(of people: [String], in root: String) -> [StoreBackup.Store] {
    [StoreBackup.Store(name: Self.directoryName, directory: "\(root)/directory")]
      + people.map { StoreBackup.Store(name: Self.storeName(ofFolder: $0), directory: "\(root)/people/\($0)") }
  }

  /// A folder that is called by a hash is one byte too long: its hexadecimal digits stand in base 64.
  private static func storeName(ofFolder folder: String) -> String {
    guard folder.hasPrefix("_") else { return folder }
    let digits = Array(folder.utf8.dropFirst())
    let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { place in
      UInt8(String(decoding: digits[place...place + 1], as: UTF8.self), radix: 16) ?? 0
    }
    return "_" + Data(bytes).base64EncodedString()
  }

  private static func folder(ofStore name: String) -> String {
    guard name.hasPrefix("_"), let bytes = Data(base64Encoded: String(name.dropFirst())) else { return name }
    return "_" + SHA256Digest.hexadecimal(bytes)
  }
}
