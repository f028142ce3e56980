import CommandSupport
import Foundation
public import TrendyHub
import TrendyHubPostgres
import TrendyModels
import TrendyProtocols

extension HubContainer {
  /// Result of moving a hub to another storage.
  public struct Moving: Sendable {
    public var report: HubMove.Report
    /// New location of the data, for messages.
    public var place: String
    /// Location of the previous data, for messages.
    public var kept: String
  }

  /// Moves all data and settings; no hub may serve either location.
  ///
  /// The previous data is kept under another name. After an interruption, one of both copies is complete, and the move
  /// can be repeated.
  /// - Parameter destination: hub with a folder or a database; with a database it has the same folder.
  /// - Throws: `HubMove.Failure`, `HubStorageError`, ``CommandError``.
  public func move(to destination: HubContainer) throws -> Moving {
    try refuseItself(destination)
    let occupations = [try occupyAlone(), try destination.occupyAlone()]
    defer { withExtendedLifetime(occupations) {} }
    var settings = try HubSettings.load(from: directory)
    let report = try HubMove(from: storage, to: destination.storage).run()
    // The data has been moved; a repeated call completes the remaining steps.
    settings.storage = destination.database
    try settings.save(to: destination.directory)
    let kept = try setAside(suffix: RFC3339.string(from: clock.now).filter { $0.isNumber || $0 == "T" }.lowercased())
    return Moving(report: report, place: destination.place, kept: kept)
  }

  /// Prevents moving a hub onto itself. A database may have several addresses; its epochs identify it.
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

  /// Ensures, if possible, that no process serves the hub or starts to serve it.
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
    // The directory first, because without it the folder is not a hub.
    for name in ["directory", "people", "tracks"] {
      let path = directory.appending(path: name)
      guard files.fileExists(atPath: path.path) else { continue }
      try files.moveItem(at: path, to: folder.appending(path: name))
    }
    return folder.path
  }
}
