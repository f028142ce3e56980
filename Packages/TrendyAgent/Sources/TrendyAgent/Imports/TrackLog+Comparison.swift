import TrendyFoundation
import TrendyModels
import TrendyPersistence
import TrendyProtocols

/// Result of comparing readings with the readings in a track log.
struct TrackComparison {
  var new = 0
  var known = 0
  /// Number of readings with an invalid position or a timestamp outside the years 0 to 9999.
  var invalid = 0
  /// Timestamps of fixes whose position differs in the track log or in another reading of the input.
  var displaced: [Date] = []
  fileprivate var places: [Int64: [Int64]] = [:]

  init(of readings: [TrackReading]) {
    places.reserveCapacity(readings.count)
    for reading in readings {
      guard let moment = ReadingMoment(reading) else {
        invalid += 1
        continue
      }
      if let other = places[moment.key] {
        known += 1
        if other != moment.place { displaced.append(reading.timestamp) }
      } else {
        places[moment.key] = moment.place
        new += 1
      }
    }
  }
}

/// Key for which a track log stores at most one reading: the kind of reading and its time in milliseconds.
struct ReadingMoment: Hashable {
  let key: Int64
  /// Latitude and longitude of a fix in units of 1e-7 degrees. Empty for other readings.
  let place: [Int64]

  init?(_ reading: TrackReading) {
    let milliseconds = (reading.timestamp.timeIntervalSince1970 * 1000).rounded()
    guard milliseconds >= -62_167_219_200_000, milliseconds < 253_402_300_800_000 else { return nil }
    var slot: Int64 = 0
    var place: [Int64] = []
    switch reading {
    case .motion: break
    case .fix(let fix):
      guard fix.coordinate.isValid else { return nil }
      slot = 1
      place = [fix.coordinate.latitude, fix.coordinate.longitude].map { Int64(($0 * 1e7).rounded()) }
    case .call(let call):
      slot =
        switch call.kind {
        case .start: 2
        case .end: 3
        case .finalize: 4
        case .cancel: 5
        }
    }
    key = Int64(milliseconds) * 8 + slot
    self.place = place
  }
}

extension TrackLog {
  func comparison(of readings: [TrackReading], device: String) throws -> TrackComparison {
    var result = TrackComparison(of: readings)
    let times = readings.map(\.timestamp)
    guard let first = times.min(), let last = times.max() else { return result }
    try forEach(device: device, after: first.addingTimeInterval(-0.002), through: last) { held in
      guard let moment = ReadingMoment(held), let place = result.places[moment.key] else { return }
      result.new -= 1
      result.known += 1
      if place != moment.place { result.displaced.append(held.timestamp) }
    }
    return result
  }
}
