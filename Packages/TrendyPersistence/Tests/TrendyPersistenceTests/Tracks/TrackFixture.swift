import Foundation
import StorageTesting
import TrendyModels
import TrendyPersistence
import TrendyProtocols

enum TrackFixture {
  static let directory = "/tracks"
  static let options = StorageEngine.Options(
    lockTimeout: .milliseconds(50), firstChunkBytes: 4096, largestChunkBytes: 16_384)

  static func open(_ disk: SimulatedFileSystem) throws(StorageError) -> TrackLog {
    try TrackLog(directory: directory, fileSystem: disk, options: options, generator: FixedGenerator())
  }

  static func moment(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_700_000_000 + seconds) }

  /// Returns a fix whose values depend only on `second`.
  static func fix(_ second: Int) -> TrackReading {
    .fix(
      Location(
        coordinate: Coordinate(
          latitude: Double(52_000 + second % 977) / 1e3, longitude: Double(-45_000 - second % 787) / 1e4),
        horizontalAccuracy: second % 5 == 0 ? -1 : Double(second % 40), timestamp: moment(Double(second)),
        altitude: second % 3 == 0 ? nil : Double(second % 90) / 10, speed: second % 4 == 0 ? nil : Double(second % 30),
        course: second % 7 == 0 ? nil : Double(second % 360)))
  }

  static func motion(_ second: Int) -> TrackReading {
    .motion(
      MotionActivity(
        state: MotionState.allCases[second % 6], confidence: .init(rawValue: second % 3) ?? .low,
        timestamp: moment(Double(second))))
  }

  static func call(_ kind: TripCommand.Kind, _ second: Int) -> TrackReading {
    .call(TripCommand(kind: kind, timestamp: moment(Double(second))))
  }

  static func readings(
    of device: String = "phone", in log: TrackLog, after: Date? = nil, through: Date? = nil
  ) throws -> [TrackReading] {
    var found: [TrackReading] = []
    try log.forEach(device: device, after: after, through: through) { found.append($0) }
    return found
  }

  /// Returns the fixes in the sample's `track.csv`.
  static func sample(_ name: String) throws -> [TrackReading] {
    let url = Bundle.module.url(forResource: "Resources/tracks/\(name)/track", withExtension: "csv")
    guard let url else { throw CocoaError(.fileNoSuchFile) }
    return try String(contentsOf: url, encoding: .utf8).split(whereSeparator: \.isNewline).dropFirst().flatMap { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      let moment = Date(timeIntervalSince1970: Double(fields[0]) ?? 0)
      let fix = TrackReading.fix(
        Location(
          coordinate: Coordinate(latitude: Double(fields[1]) ?? 0, longitude: Double(fields[2]) ?? 0),
          horizontalAccuracy: Double(fields[4]) ?? -1, timestamp: moment, altitude: Double(fields[3]),
          speed: Double(fields[5]), course: Double(fields[6])))
      guard let state = MotionState(rawValue: fields[7]) else { return [fix] }
      return [.motion(MotionActivity(state: state, confidence: .high, timestamp: moment)), fix]
    }
  }
}
