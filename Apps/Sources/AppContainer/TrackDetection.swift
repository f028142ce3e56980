#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import TrendyInterchange
public import TrendyTrips

/// The trips in recorded tracks, found without a store.
public enum TrackDetection: Sendable {
  /// A track in a folder of tracks, or a file that was named.
  public struct Source: Hashable, Sendable {
    /// The name of the folder that holds `track.csv`, else the file's name without its ending.
    public let id: String
    public let file: URL
  }

  /// The tracks below a path, by their ids.
  ///
  /// A folder with a `track.csv` is one track, whatever other forms of it lie beside; `truth.json`, `samples/` and `licences/` are
  /// passed over, and so is what begins with a dot.
  public static func sources(at path: URL) throws -> [Source] {
    var isFolder = false
    guard let values = try? FileManager.default.attributesOfItem(atPath: path.path) else { return [] }  // not there: none
    isFolder = values[.type] as? FileAttributeType == .typeDirectory
    guard isFolder else { return [source(of: path)] }
    let names = try FileManager.default.contentsOfDirectory(atPath: path.path).sorted()
    if names.contains("track.csv") { return [source(of: path.appending(path: "track.csv"))] }
    return try names.filter { !$0.hasPrefix(".") && !["truth.json", "samples", "licences"].contains($0) }
      .flatMap { try sources(at: path.appending(path: $0)) }
  }

  /// - Throws: `InterchangeError` for a file that cannot be read.
  public static func trips(in bytes: [UInt8]) throws -> [TripRecord] {
    let file = try TrackFile(reading: bytes)
    return TripDetector.trips(in: file.locations, motion: file.activities)
  }

  private static func source(of file: URL) -> Source {
    let name = file.lastPathComponent
    if name == "track.csv" {
      return Source(id: file.standardizedFileURL.deletingLastPathComponent().lastPathComponent, file: file)
    }
    return Source(id: file.deletingPathExtension().lastPathComponent, file: file)
  }
}
