public import TrendyFoundation
import TrendyInterchange
public import TrendyModels
public import TrendyTrips

/// Detects trips in recorded tracks, without a store.
public enum TrackDetection: Sendable {
  /// Track file given by its path, or found in a folder.
  public struct Source: Hashable, Sendable {
    /// Name of the folder if the file is called `track.csv`, otherwise the file name without its extension.
    public let id: String
    public let file: URL
  }

  /// Returns the tracks in a file or folder, ordered by id.
  ///
  /// A folder that contains `track.csv` is one track, and its other files are ignored. Names that start with a dot,
  /// `truth.json`, `samples/` and `licences/` are skipped. The result is empty if the path does not exist.
  /// - Throws: An error if a folder cannot be listed.
  public static func sources(at path: URL) throws -> [Source] {
    // A path without attributes does not exist.
    guard let values = try? FileManager.default.attributesOfItem(atPath: path.path) else { return [] }
    guard values[.type] as? FileAttributeType == .typeDirectory else { return [source(of: path)] }
    let names = try FileManager.default.contentsOfDirectory(atPath: path.path).sorted()
    if names.contains("track.csv") { return [source(of: path.appending(path: "track.csv"))] }
    return try names.filter { !$0.hasPrefix(".") && !["truth.json", "samples", "licences"].contains($0) }
      .flatMap { try sources(at: path.appending(path: $0)) }
  }

  /// Detects the trips in a track file of any format, ordered by start. A stop of duration `stop` ends a trip.
  /// - Throws: `InterchangeError` for an invalid file.
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
  /// Fixes by recording. In message formats, each device has one track, and each track is a recording. In files that
  /// users saved, all tracks are parts of one recording.
  var recordings: [[Location]] {
    switch format {
    case .csv, .geoJSON, .overland, .ownTracks, .ownTracksRecording:
      tracks.map { $0.segments.flatMap(\.locations).spreadWithinSeconds }
    case .gpx, .kml, .nmea: [locations.spreadWithinSeconds]
    }
  }
}
