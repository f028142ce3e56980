import CommandSupport
import Foundation
public import TrendyHub
import TrendyHubPostgres
import TrendyModels
import TrendyProtocols

extension HubContainer {
  /// Result of moving a hub to another location.
  public struct Moving: Sendable {
    public var report: HubMove.Report
    /// New location of the data, as text for messages.
    public var place: String
    /// Location of the previous data, as text for messages.
    public var kept: String
  }

  /// Moves all data and settings of the hub to another location.
  ///
  /// The hub must not be running. The previous data is kept under a different name. If the move is interrupted, the
  /// data at one of the locations is complete, and the move can be repeated.
  /// - Parameter destination: hub in a different folder, or in the same folder with a database.
  /// - Throws: `HubMove.Failure`, `HubStorageError`, ``CommandError``.
  public func move(to destination: HubContainer) throws -> Moving {
    try refuseItself(destination)
    let occupations = [try occupyAlone(), try destination.occupyAlone()]
    defer { withExtendedLifetime(occupations) {} }
    var settings = try HubSettings.load(from: directory)
    let report = try HubMove(from: storage, to: destination.storage).run()
    // All data has been copied. If the remaining steps are interrupted, repeating the move completes them.
    settings.storage = destination.database
    try settings.save(to: destination.directory)
    let kept = try setAside(suffix: RFC3339.string(from: clock.now).filter { $0.isNumber || $0 == "T" }.lowercased())
    return Moving(report: report, place: destination.place, kept: kept)
  }

  /// Checks that the destination is a different hub. Databases are compared by epoch, because one database may have
  /// several addresses.
  private func refuseItself(_ destination: HubContainer) throws {
    func epoch(_ storage: any HubStorage) throws -> String? { try storage.read(user: "") { try $0.epoch() } }
    let isItself =
      if storage is PostgresHubStorage, destination.storage is PostgresHubStorage {
        try epoch(storage) == epoch(destination.storage)
      } else {
        embedded != nil && destination.embedded != nil
          && directory.resolvingSymlinksInPath() == destination.directory.resolvingSymlinksInPath()
      }
    guard !isItself else {
      throw CommandError(
        "The hub is already at \(place)", hint: "Nothing was changed. Choose another destination.", exit: .usage)
    }
  }

  /// Acquires exclusive access, so that no process is serving the hub during the move. For a database, only existing
  /// connections can be checked.
  private func occupyAlone() throws -> (any Sendable)? {
    let occupation = try storage.acquireExclusiveAccess()
    guard let database = storage as? PostgresHubStorage else { return occupation }
    let count = try database.otherConnectionCount()
    guard count == 0 else {
      throw CommandError(
        "The database \(self.database ?? "") is in use: trendyd has \(count) other connections to it",
        hint: "Stop all hubs that use it and run this command again.", exit: .tryAgain)
    }
    return occupation
  }

  private func setAside(suffix: String) throws -> String {
    if let database = storage as? PostgresHubStorage {
      return "the schema \(try database.setAside(suffix: "moved_\(suffix)")) of the database"
    }
    let folder = directory.appending(path: "moved-\(suffix)")
    let files = FileManager.default
    try files.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    // `directory` is moved first, because the folder is no longer a valid hub without it.
    for name in ["directory", "people", "tracks"] {
      let path = directory.appending(path: name)
      guard files.fileExists(atPath: path.path) else { continue }
      try files.moveItem(at: path, to: folder.appending(path: name))
    }
    return folder.path
  }
}
