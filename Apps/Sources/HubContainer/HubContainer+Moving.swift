import CommandSupport
import Foundation
public import TrendyHub
import TrendyHubPostgres
import TrendyModels
import TrendyProtocols

extension HubContainer {
  /// The result of moving a hub to another storage.
  public struct Moving: Sendable {
    public var report: HubMove.Report
    /// The storage that holds the data from now on, in words.
    public var place: String
    /// The storage that still holds the data as it was before the move, in words.
    public var kept: String
  }

  /// Moves all that is kept of persons and devices, with the settings of the folder; no hub may serve either place.
  ///
  /// What was there is kept aside, where no hub finds it. A move that is cut short at any moment leaves it, or what was moved, whole,
  /// and can be said again.
  /// - Parameter destination: a hub with a folder or a database; beside a database its folder is this one's.
  /// - Throws: `HubMove.Failure`, `HubStorageError`, ``CommandError``.
  public func move(to destination: HubContainer) throws -> Moving {
    try refuseItself(destination)
    let occupations = [try occupyAlone(), try destination.occupyAlone()]
    defer { withExtendedLifetime(occupations) {} }
    var settings = try HubSettings.load(from: directory)
    let report = try HubMove(from: storage, to: destination.storage).run()
    // From here on the data is there: what is left is done again by the next call where it is cut short.
    settings.storage = destination.database
    try settings.save(to: destination.directory)
    let kept = try setAside(suffix: RFC3339.string(from: clock.now).filter { $0.isNumber || $0 == "T" }.lowercased())
    return Moving(report: report, place: destination.place, kept: kept)
  }

  /// A hub that were moved onto itself would be put aside. One database may have many addresses: its lives tell which it is.
  private func refuseItself(_ destination: HubContainer) throws {
    func life(_ storage: any HubStorage) throws -> String? { try storage.read(person: "") { try $0.epoch() } }
    let isItself =
      if storage is PostgresHubStorage, destination.storage is PostgresHubStorage {
        try life(storage) == life(destination.storage)
      } else {
        embedded != nil && destination.embedded != nil
          && directory.resolvingSymlinksInPath() == destination.directory.resolvingSymlinksInPath()
      }
    guard !isItself else {
      throw CommandError("The hub is there already: \(place)", hint: "Nothing was changed.", exit: .usage)
    }
  }

  /// Makes sure that nobody serves the hub, and that nobody begins to as far as that can be.
  private func occupyAlone() throws -> (any Sendable)? {
    let occupation = try storage.occupy()
    guard let database = storage as? PostgresHubStorage else { return occupation }
    let count = try database.otherConnectionCount()
    guard count == 0 else {
      throw CommandError(
        "The database \(self.database ?? "") is in use: trendyd has \(count) other connections to it",
        hint: "Stop every hub that serves it, and say it again.", exit: .tryAgain)
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
    // The list of persons first: without it there is no hub here.
    for name in ["directory", "people", "tracks"] {
      let path = directory.appending(path: name)
      guard files.fileExists(atPath: path.path) else { continue }
      try files.moveItem(at: path, to: folder.appending(path: name))
    }
    return folder.path
  }
}
