import TrendyAgent
public import CommandSupport
public import Foundation
public import TrendyHub
import TrendyHubPostgres
public import TrendyIngest
import TrendyModels
public import TrendyPersistence
public import TrendyProtocols

/// Components of a hub: its storage, in a folder or a database, and the server.
public struct HubContainer: Sendable {
  public let directory: URL
  public let clock: any TimeSource
  /// Service that receives positions posted by trackers.
  public let ingest: HubIngest
  /// Address of the database, or `nil` if the data is in the folder.
  public let database: String?
  let storage: any HubStorage
  /// Storage in the folder, or `nil` if the data is in a database.
  let embedded: EmbeddedHubStorage?

  /// Creates a hub without opening its storage. The folder contains the settings and, without a database, the data.
  ///
  /// `database` is the address of a PostgreSQL database. If it is invalid, or if there is a `refusal` because the
  /// location of the data is unknown, every operation throws an error.
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

  /// Whether the folder contains a hub, or the database contains a hub with users.
  /// - Throws: `HubStorageError` if the database cannot be reached.
  public func exists() throws -> Bool {
    if let embedded { return try embedded.exists() }
    return try storage.readDirectory { try !$0.users().isEmpty }
  }

  /// Creates the folder for the settings if the data is in a database. Otherwise the storage creates the folder.
  public func makeFolder() throws {
    guard embedded == nil else { return }
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// Location of the data, as text for messages.
  public var place: String { database.map { "the database \($0)" } ?? directory.path }

  /// Users, pairing codes and tokens. They can be changed while another process is running the hub.
  public var accounts: HubAccounts { HubAccounts(storage: storage, clock: clock) }

  /// Performs one step of storage maintenance.
  /// - Returns: whether another step may be needed.
  public func maintainStorage() throws -> Bool { try embedded?.maintain() ?? false }

  /// Releases memory used by mapped files. Meant to be called regularly.
  public func releaseMemory() { embedded?.releaseMemory() }

  /// Erases all data of users marked for erasure, continuing interrupted erasures.
  ///
  /// Only for the process that is running the hub. Other processes must use ``eraseUnlessServed()``.
  /// - Returns: users whose data was erased.
  @discardableResult
  public func erasePeople() throws -> [HubUser] {
    let users = try accounts.removedPeople().filter(\.isErasing)
    for user in users { try accounts.finishErasing(user: user) { ingest.erase(user: $0.id) } }
    return users
  }

  /// Erases the data of users marked for erasure, unless another process is running the hub.
  ///
  /// A running hub erases the data within a minute. If the data is in a database, it can be erased at any time.
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

  /// Creates a server without starting it.
  ///
  /// Requests may use the listening address as the host name, in addition to the configured names. `listener` is a
  /// socket inherited from a service manager, or `nil` to listen at the configured address. `log` receives an entry for
  /// each response.
  /// - Throws: ``CommandError`` if a setting is invalid.
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

  /// Port and URL that a running hub has recorded for other processes.
  public struct Serving: Hashable, Sendable {
    /// TCP port that the hub is listening on.
    public let port: UInt16
    /// URL for devices, or `nil` if the hub listens on all networks without a host name.
    public let deviceURL: String?

    public init(port: UInt16, deviceURL: String?) {
      self.port = port
      self.deviceURL = deviceURL
    }
  }

  /// Returns the port and URL of the process that is running this hub, or `nil` if there is none.
  ///
  /// Always `nil` if the data is in a database.
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

  /// Records the port and URL that ``serving()`` returns.
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

  /// Backs up the hub to one file, even while it is running. The file is signed if `key` is given.
  /// - Throws: `StorageError`, `HubStorageError`.
  public func backUp(
    to path: String, isReplacing: Bool, signedWith key: BackupKey? = nil,
    onProgress: StoreBackup.ProgressHandler = { _ in true }
  ) throws -> StoreBackup.Summary {
    try files("backed up with the tools of the database: pg_dump or pg_basebackup").backUp(
      to: path, now: clock.now, isReplacing: isReplacing, signedWith: key, onProgress: onProgress)
  }

  /// Replaces the data of the hub with a backup. The previous data is kept.
  ///
  /// The backup must be signed with `key`, if a key is given. `isForced` accepts a backup so old that entities deleted
  /// since then may reappear. `onProgress` returns whether to continue.
  /// - Throws: `StorageError`, `HubStorageError`, or `EmbeddedHubStorage.StaleBackup` unless forced.
  public func restore(
    from path: String, signedWith key: BackupKey? = nil, isForced: Bool,
    onProgress: StoreBackup.ProgressHandler = { _ in true }
  ) throws -> StoreBackup.RestoreReport {
    try files("restored with the tools of the database: pg_restore or a base backup").restore(
      from: path, signedWith: key, now: clock.now, isForced: isForced, onProgress: onProgress)
  }
}
