import Foundation
import TrendyModels
import TrendyTrips

/// `trendy-bench tracks`: accuracy of trip detection on recorded tracks with labelled trips.
///
/// Each folder contains `track.csv` (`t,lat,lon,alt_m,acc_m,speed_mps,course_deg,…`) and `truth.json` (`trips`,
/// `automotive`, `ignore`, and `motion` for phones).
struct TracksBenchmark {
  static let usage = "usage: trendy-bench tracks FOLDER"

  private let folder: URL

  init(_ arguments: [String]) throws {
    guard arguments.count == 1 else { throw InputError(text: Self.usage) }
    folder = URL(filePath: arguments[0], directoryHint: .isDirectory)
  }

  func run(_ print: (String) -> Void) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().filter {
      FileManager.default.fileExists(atPath: folder.appending(path: "\($0)/truth.json").path)
    }
    guard !names.isEmpty else { throw InputError(text: "\(folder.path) has no subfolder with a truth.json") }
    let tracks = try names.map { try Track(folder.appending(path: $0)) }
    var all = TripScore()
    for (name, track) in zip(names, tracks) {
      var score = TripScore()
      track.add(to: &score)
      track.add(to: &all)
      print(score.json([("suite", "tracks"), ("track", name)]))
    }
    // Leave out one track at a time to show whether the result depends on a single track.
    for (name, index) in zip(names, tracks.indices) {
      var score = TripScore()
      for other in tracks.indices where other != index { tracks[other].add(to: &score) }
      print(score.json([("suite", "tracks"), ("without", name)]))
    }
    print(all.json([("suite", "tracks"), ("track", "all")]))
  }

  private struct Track {
    private let truth: [TripScore.Trip]
    private let ignored: [TripScore.Interval]
    private let found: [TripScore.Trip]

    init(_ folder: URL) throws {
      let labels = try JSONDecoder().decode(Labels.self, from: Data(contentsOf: folder.appending(path: "truth.json")))
      let rides = (labels.automotive ?? []).map { $0.start...$0.end }
      truth = labels.trips.map { trip in
        TripScore.Trip(
          time: trip.start...trip.end, distance: labels.distance_ok == false ? nil : trip.distance_m,
          rides: rides.filter { $0.lowerBound >= trip.start && $0.lowerBound < trip.end })
      }
      ignored = (labels.ignore ?? []).map { $0[0]...$0[1] }
      let file = folder.appending(path: "track.csv")
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst()
      let fixes = try lines.map { line in
        let fields = line.split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count >= 7, let time = Double(fields[0]), let latitude = Double(fields[1]),
          let longitude = Double(fields[2])
        else { throw InputError(text: "\(file.path) has a line without time and coordinates: \(line)") }
        return Location(
          coordinate: Coordinate(latitude: latitude, longitude: longitude),
          horizontalAccuracy: Double(fields[4]) ?? -1, timestamp: Date(timeIntervalSince1970: time),
          altitude: Double(fields[3]), speed: Double(fields[5]), course: Double(fields[6]))
      }
      let motion = (labels.motion ?? []).compactMap(\.activity)
      found = TripScore.trips(TripDetector.trips(in: fixes, motion: motion))
    }

    func add(to score: inout TripScore) { score.add(truth: truth, found: found, ignored: ignored) }
  }

  private struct Labels: Decodable {
    struct Trip: Decodable {
      var start: Double
      var end: Double
      var distance_m: Double?
    }

    struct Reading: Decodable {
      var activity: MotionActivity?

      /// Decodes a timestamp, an activity and a confidence from 0 to 100.
      init(from decoder: any Decoder) throws {
        var row = try decoder.unkeyedContainer()
        let time = try row.decode(Double.self)
        let name = try row.decode(String.self)
        let confidence = try row.decodeIfPresent(Double.self) ?? 50
        activity = MotionState(rawValue: name).map {
          MotionActivity(
            state: $0, confidence: confidence >= 75 ? .high : confidence >= 50 ? .medium : .low,
            timestamp: Date(timeIntervalSince1970: time))
        }
      }
    }

    var trips: [Trip]
    var automotive: [Trip]?
    var ignore: [[Double]]?
    var motion: [Reading]?
    var distance_ok: Bool?
  }
}
