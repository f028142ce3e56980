import TrendyFoundation
import TrendyModels
import TrendyPersistence
import TrendyProtocols

/// Readings compared with those that a track log has.
struct TrackComparison {
  var new = 0
  var known = 0
  /// Without a place on earth or a time that can be kept.
  var invalid = 0
  /// Times of fixes for whose moment the log, or the readings themselves, have another place.
  var displaced: [Date] = []
  /// Places by moments, of which the first of each.
  fileprivate var places: [Int64: [Int64]] = [:]

  /// Readings compared with each other.
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

/// What a log keeps once: a kind of reading at a millisecond.
struct ReadingMoment: Hashable {
  let key: Int64
  let place: [Int64]

  /// `nil` for a reading that no log keeps.
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
  /// Compares readings with what is held of a device.
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
