import TrendyAgent
public import CommandSupport
public import Foundation
public import TrendyHub
import TrendyHubPostgres
public import TrendyIngest
import TrendyModels
public import TrendyPersistence
public import TrendyProtocols

/// Composes a hub: storage in a folder or a database, and a server.
public struct HubContainer: Sendable {
  public let directory: URL
  public let clock: any TimeSource
  /// Service for posts of trackers.
  public let ingest: HubIngest
  /// Address of the database; `nil` if the data is in the folder.
  public let database: String?
  let storage: any HubStorage
  /// `nil` if the data is in a database.
  let embedded: EmbeddedHubStorage?

  /// Composes a hub without opening its storage.
  /// - Parameters:
  ///   - directory: folder of the data and settings; with a database, only of the settings.
  ///   - database: address of a PostgreSQL database; an invalid one makes every operation fail.
  ///   - refusal: error of every operation, if the location of the data is unknown.
  ///   - clock: source of the time.
  ///   - bounds: limits of open stores and connections.
  public init(
    directory: URL, database: String? = nil, refusal: CommandError? = nil, clock: any TimeSource = SystemTime(),
    bounds: ResourceBounds? = nil
  ) {
    self.directory = directory
    self.database = database
    self.clock = clock
    if let refusal {
      embedded = nil
      storage = RefusingHubStorage(error: refusal)
    } else if let database {
      embedded = nil
      do {
        storage = try PostgresHubStorage(address: database, program: "trendyd \(Version.text)")
      } catch {
        storage = RefusingHubStorage(error: error)
      }
    } else {
      let files = EmbeddedHubStorage(
        directory: directory.path, openStores: bounds?.openStores ?? ResourceBounds.most.stores)
      embedded = files
      storage = files
    }
    ingest = HubIngest(storage: storage, clock: clock, openTracks: bounds?.openTracks ?? ResourceBounds.most.tracks)
  }

  /// Whether the folder contains hub storage, or the database has ever had a user.
  /// - Throws: `HubStorageError` if the database cannot be reached.
  public func exists() throws -> Bool {
    if let embedded { return try embedded.exists() }
    return try storage.readDirectory { try !$0.users().isEmpty }
  }

  /// Creates the settings folder of a database hub; folder storage creates it itself.
  public func makeFolder() throws {
    guard embedded == nil else { return }
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// Location of the data, for messages.
  public var place: String { database.map { "the database \($0)" } ?? directory.path }

  /// Users, pairing codes and tokens; usable while the hub runs in another process.
  public var accounts: HubAccounts { HubAccounts(storage: storage, clock: clock) }

  /// Performs a step of storage maintenance.
  ///
  /// - Returns: whether another step may be due.
  public func maintainStorage() throws -> Bool { try embedded?.maintain() ?? false }

  /// Releases mapped files; call this from time to time.
  public func releaseMemory() { embedded?.releaseMemory() }

  /// Erases all data of users marked for erasure; resumes an interrupted erasure.
  ///
  /// For the process that serves the hub; others use ``eraseUnlessServed()``.
  /// - Returns: erased users.
  @discardableResult
  public func erasePeople() throws -> [HubUser] {
    let users = try accounts.removedPeople().filter(\.isErasing)
    for user in users { try accounts.finishErasing(user: user) { ingest.erase(user: $0.id) } }
    return users
  }

  /// Erases the data if no hub serves the folder; a running hub does so within a minute. With a database, any process
  /// can.
  /// - Returns: whether the data was erased.
  public func eraseUnlessServed() throws -> Bool {
    do {
      let occupation = try storage.acquireExclusiveAccess()
      defer { withExtendedLifetime(occupation) {} }
      try erasePeople()
      return true
    } catch HubStorageError.occupied {
      return false
    }
  }

  /// Creates a server from the settings, without starting it. The address of the server is an allowed host name.
  /// - Parameters:
  ///   - settings: settings of the hub.
  ///   - bounds: limits of open stores and connections.
  ///   - listener: listening socket of a service manager, instead of the configured address.
  ///   - log: receives an entry for each response.
  /// - Throws: ``CommandError`` for invalid settings.
  public func makeServer(
    settings: HubSettings, bounds: ResourceBounds, listener: Int32? = nil, log: AccessLog? = nil
  ) throws(CommandError) -> HubServer {
    let endpoint = try settings.endpoint()
    var limits = try settings.httpLimits()
    limits.connections = bounds.connections
    limits.connectionsPerAddress = min(limits.connectionsPerAddress, limits.connections)
    limits.proxies = settings.proxies.compactMap { NetworkAddressRange($0) }
    let own =
      endpoint.isWildcard || endpoint.path != nil
      ? [] : [endpoint.address.contains(":") ? "[\(endpoint.address)]" : endpoint.address]
    return HubServer(
      storage: storage,
      transport: SocketTransport(
        address: endpoint.address, port: endpoint.port, listener: listener, limits: limits, clock: clock, log: log),
      ingest: ingest,
      files: FileIntake(
        importer: HubFileImporter(storage: storage, ingest: ingest, clock: clock),
        folder: directory.appending(path: "uploads"), largestFile: try settings.importBytes(),
        partBytes: min(limits.bodyBytes, 1 << 20)), pairingPicture: settings.pairingPicture, clock: clock,
      configuration: HubConfiguration(
        allowedHosts: settings.names + own, trustedProxies: settings.proxies,
        requestsPerMinute: try settings.requestsPerMinute(), streams: bounds.streams, quota: try settings.quota(),
        tiles: settings.tiles.flatMap { MapTiles($0, credit: settings.tilesCredit ?? "") }),
      log: log)
  }

  /// State recorded by a running hub.
  public struct Serving: Hashable, Sendable {
    /// Actual port.
    public let port: UInt16
    /// Address for devices; `nil` if the hub listens on all networks without a name.
    public let deviceURL: String?

    public init(port: UInt16, deviceURL: String?) {
      self.port = port
      self.deviceURL = deviceURL
    }
  }

  /// Hub that currently serves the folder, if any.
  ///
  /// Always `nil` for a database.
  public func serving() -> Serving? {
    guard let embedded else { return nil }
    do {
      _ = try embedded.acquireExclusiveAccess()
      return nil
    } catch {
      guard let data = FileManager.default.contents(atPath: portFile.path) else { return nil }
      let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
      guard let port = lines.first.flatMap({ UInt16($0) }) else { return nil }
      return Serving(port: port, deviceURL: lines.dropFirst().first.map(String.init))
    }
  }

  /// Records the state for ``serving()``.
  public func note(_ serving: Serving) throws {
    guard embedded != nil else { return }
    let lines = ["\(serving.port)", serving.deviceURL].compactMap(\.self).map { $0 + "\n" }
    try OwnerOnlyFile.replace(portFile, with: Data(lines.joined().utf8), isDurable: false)
  }

  private var portFile: URL { directory.appending(path: "port") }

  private func files(_ otherwise: String) throws -> EmbeddedHubStorage {
    if let embedded { return embedded }
    if let refusing = storage as? RefusingHubStorage { throw refusing.error }
    throw HubStorageError.unsupported("a hub in a database is \(otherwise)")
  }

  /// Backs up the hub to one file, also while it is running; with a key the file is signed.
  /// - Throws: `StorageError`, `HubStorageError`.
  public func backUp(
    to path: String, isReplacing: Bool, signedWith key: BackupKey? = nil,
    onProgress: StoreBackup.ProgressHandler = { _ in true }
  ) throws -> StoreBackup.Summary {
    try files("backed up with the tools of the database: pg_dump, pg_basebackup").backUp(
      to: path, now: clock.now, isReplacing: isReplacing, signedWith: key, onProgress: onProgress)
  }

  /// Replaces the data of the hub with a backup; the previous data is kept.
  /// - Parameters:
  ///   - path: path of the backup.
  ///   - key: key with which the backup must be signed; `nil` for an unsigned one.
  ///   - isForced: whether to accept a stale backup; entities deleted since may reappear.
  ///   - onProgress: called repeatedly; returns whether to continue.
  /// - Throws: `StorageError`, `HubStorageError`, `EmbeddedHubStorage.StaleBackup` unless forced.
  public func restore(
    from path: String, signedWith key: BackupKey? = nil, isForced: Bool,
    onProgress: StoreBackup.ProgressHandler = { _ in true }
  ) throws -> StoreBackup.RestoreReport {
    try files("restored with the tools of the database: pg_restore, a base backup").restore(
      from: path, signedWith: key, now: clock.now, isForced: isForced, onProgress: onProgress)
  }
}
