import TrendyAgent
public import CommandSupport
public import Foundation
public import TrendyHub
import TrendyHubPostgres
public import TrendyIngest
import TrendyModels
public import TrendyPersistence
public import TrendyProtocols

/// Composes a hub: its storage in a folder or a database, the server on a port.
public struct HubContainer: Sendable {
  public let directory: URL
  public let clock: any TimeSource
  /// What trackers post to this hub.
  public let ingest: HubIngest
  /// Address of the database; `nil` where the data lies in the folder.
  public let database: String?
  let storage: any HubStorage
  /// `nil` where the data lies in a database.
  let embedded: EmbeddedHubStorage?

  /// - Parameters:
  ///   - directory: of everything; beside a database, of the settings alone.
  ///   - database: address of a database of PostgreSQL; one that cannot be is told by whatever is asked of it.
  ///   - refusal: why it is not known where the data is, which is told by whatever is asked of it.
  ///   - bounds: how much of it stays open; usual numbers where nothing is served.
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

  /// Whether a hub's storage stands in the folder, or the database has ever had a person.
  /// - Throws: `HubStorageError` of a database that cannot be asked.
  public func exists() throws -> Bool {
    if let embedded { return try embedded.exists() }
    return try storage.readDirectory { try !$0.people().isEmpty }
  }

  /// Makes the folder beside a database, for its settings; a storage in the folder makes it itself.
  public func makeFolder() throws {
    guard embedded == nil else { return }
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// Where its data is, in words.
  public var place: String { database.map { "the database \($0)" } ?? directory.path }

  /// Persons, pairing codes, tokens; also while the hub runs in another process.
  public var accounts: HubAccounts { HubAccounts(storage: storage, clock: clock) }

  /// A step of what keeps the storage quick, for when nobody waits.
  ///
  /// - Returns: whether there may be more to do at once.
  public func maintainStorage() throws -> Bool { try embedded?.maintain() ?? false }

  /// Lets go of what the storage has in memory of its files; for now and then.
  public func releaseMemory() { embedded?.releaseMemory() }

  /// Erases everything of those who were removed for that, and forgets them; what was cut short is gone on with.
  ///
  /// For the process that serves the hub; of others see ``eraseUnlessServed()``.
  /// - Returns: who is gone.
  @discardableResult
  public func erasePeople() throws -> [HubPerson] {
    let people = try accounts.removedPeople().filter(\.isErasing)
    for person in people { try accounts.finishErasing(person: person) { ingest.erase(person: $0.id) } }
    return people
  }

  /// Erases them here and now where no hub serves the folder; one that does has it done within a minute. In a database that is
  /// for anybody to do.
  /// - Returns: whether it is done.
  public func eraseUnlessServed() throws -> Bool {
    do {
      let occupation = try storage.occupy()
      defer { withExtendedLifetime(occupation) {} }
      try erasePeople()
      return true
    } catch HubStorageError.occupied {
      return false
    }
  }

  /// A server as the settings say, not started yet. It also goes by the address at which it listens.
  /// - Parameter listener: a socket of a service manager, in place of where the settings would listen.
  /// - Throws: ``CommandError`` for settings that cannot be.
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

  /// What a hub that runs noted of itself.
  public struct Serving: Hashable, Sendable {
    /// The one it really has, also where any free one was asked for.
    public let port: UInt16
    /// Where devices find it; `nil` where it listens everywhere and was told of no name.
    public let deviceURL: String?

    public init(port: UInt16, deviceURL: String?) {
      self.port = port
      self.deviceURL = deviceURL
    }
  }

  /// The hub that serves the folder by now; `nil` where none does.
  ///
  /// Of a database nobody knows which hubs serve it.
  public func serving() -> Serving? {
    guard let embedded else { return nil }
    do {
      _ = try embedded.occupy()
      return nil
    } catch {
      guard let data = FileManager.default.contents(atPath: portFile.path) else { return nil }
      let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
      guard let port = lines.first.flatMap({ UInt16($0) }) else { return nil }
      return Serving(port: port, deviceURL: lines.dropFirst().first.map(String.init))
    }
  }

  /// Notes it for ``serving()``.
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

  /// Writes everything the hub keeps into one file, while it runs or not; with a key the file is signed.
  /// - Throws: `StorageError`, `HubStorageError`.
  public func backUp(
    to path: String, isReplacing: Bool, signedWith key: BackupKey? = nil,
    onProgress: StoreBackup.ProgressHandler = { _ in true }
  ) throws -> StoreBackup.Summary {
    try files("backed up with the tools of the database: pg_dump, pg_basebackup").backUp(
      to: path, now: clock.now, isReplacing: isReplacing, signedWith: key, onProgress: onProgress)
  }

  /// Replaces the hub's data by a backup; the former data is kept beside it.
  /// - Parameter key: the key with which the backup must be signed.
  /// - Throws: `StorageError`, `HubStorageError`, `EmbeddedHubStorage.StaleBackup` unless forced.
  public func restore(
    from path: String, signedWith key: BackupKey? = nil, isForced: Bool,
    onProgress: StoreBackup.ProgressHandler = { _ in true }
  ) throws -> StoreBackup.RestoreReport {
    try files("restored with the tools of the database: pg_restore, a base backup").restore(
      from: path, signedWith: key, now: clock.now, isForced: isForced, onProgress: onProgress)
  }
}
