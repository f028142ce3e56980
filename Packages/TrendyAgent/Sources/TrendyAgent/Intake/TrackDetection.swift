public import TrendyFoundation
import TrendyInterchange
public import TrendyModels
public import TrendyTrips

/// Detects trips in recorded tracks, without a store.
public enum TrackDetection: Sendable {
  /// Track file in a folder or given by its path.
  public struct Source: Hashable, Sendable {
    /// Name of the folder that contains `track.csv`, otherwise the file name without its extension.
    public let id: String
    public let file: URL
  }

  /// Returns the tracks below a path, ordered by id.
  ///
  /// A folder with a `track.csv` is one track, whose other files are ignored. Names that begin with a dot,
  /// `truth.json`, `samples/` and `licences/` are skipped.
  /// - Parameter path: A file or folder; if it does not exist, the result is empty.
  /// - Throws: Errors of listing a folder.
  public static func sources(at path: URL) throws -> [Source] {
    // A missing path contains no tracks.
    guard let values = try? FileManager.default.attributesOfItem(atPath: path.path) else { return [] }
    guard values[.type] as? FileAttributeType == .typeDirectory else { return [source(of: path)] }
    let names = try FileManager.default.contentsOfDirectory(atPath: path.path).sorted()
    if names.contains("track.csv") { return [source(of: path.appending(path: "track.csv"))] }
    return try names.filter { !$0.hasPrefix(".") && !["truth.json", "samples", "licences"].contains($0) }
      .flatMap { try sources(at: path.appending(path: $0)) }
  }

  /// Detects the trips in a track file.
  /// - Parameters:
  ///   - bytes: Content of a file in any track format.
  ///   - stop: Duration of a stop that ends a trip.
  /// - Returns: Trips ordered by start.
  /// - Throws: `InterchangeError` for a file that cannot be read.
  public static func trips(in bytes: [UInt8], stop: TripStop) throws -> [TripRecord] {
    trips(in: try TrackFile(reading: bytes), stop: stop)
  }

  static func trips(in file: TrackFile, stop: TripStop) -> [TripRecord] {
    var configuration = TripDetector.Configuration()
    configuration.stopSeconds = stop.seconds
    return file.recordings
      .flatMap { TripDetector.trips(in: $0, motion: file.activities, configuration: configuration) }
      .sorted { ($0.trip.startTime, $0.trip.id) < ($1.trip.startTime, $1.trip.id) }
  }

  private static func source(of file: URL) -> Source {
    let name = file.lastPathComponent
    if name == "track.csv" {
      return Source(id: file.standardizedFileURL.deletingLastPathComponent().lastPathComponent, file: file)
    }
    return Source(id: file.deletingPathExtension().lastPathComponent, file: file)
  }
}

extension TrackFile {
  /// Fixes by recording, each the log of one device. In message formats each device has a track; the tracks of a saved
  /// file are parts of one log.
  var recordings: [[Location]] {
    switch format {
    case .csv, .geoJSON, .overland, .ownTracks, .ownTracksRecording:
      tracks.map { $0.segments.flatMap(\.locations).spreadWithinSeconds }
    case .gpx, .kml, .nmea: [locations.spreadWithinSeconds]
    }
  }
}
