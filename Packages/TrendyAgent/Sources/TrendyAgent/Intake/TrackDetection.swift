public import TrendyFoundation
import TrendyInterchange
public import TrendyModels
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
    // What is not there holds no tracks.
    guard let values = try? FileManager.default.attributesOfItem(atPath: path.path) else { return [] }
    guard values[.type] as? FileAttributeType == .typeDirectory else { return [source(of: path)] }
    let names = try FileManager.default.contentsOfDirectory(atPath: path.path).sorted()
    if names.contains("track.csv") { return [source(of: path.appending(path: "track.csv"))] }
    return try names.filter { !$0.hasPrefix(".") && !["truth.json", "samples", "licences"].contains($0) }
      .flatMap { try sources(at: path.appending(path: $0)) }
  }

  /// - Parameters:
  ///   - bytes: of a file in any form of a track.
  ///   - stop: how long a stop ends a trip.
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
  /// Fixes that belong together: the log of one device. Messages of several devices come as a track each; the tracks of a file
  /// that a person saved are parts of one log.
  var recordings: [[Location]] {
    switch format {
    case .csv, .geoJSON, .overland, .ownTracks, .ownTracksRecording:
      tracks.map { $0.segments.flatMap(\.locations).spreadWithinSeconds }
    case .gpx, .kml, .nmea: [locations.spreadWithinSeconds]
    }
  }
}
