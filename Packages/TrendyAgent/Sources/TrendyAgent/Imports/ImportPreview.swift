import TrendyFoundation
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTrips

/// Entities and readings that a dry run of an import would have saved so far.
struct ImportPreview {
  private var inserted = FingerprintSet()
  /// Events with which to compare later events, by the hour of their start.
  private var events: [Int: [Event]] = [:]
  private var readings: [String: [TrackReading]] = [:]
  private var findings: Set<String> = []

  mutating func insert(_ entity: AnyEntity) -> Bool {
    inserted.insert(CompactIdentifier("\(entity.kind.rawValue) \(entity.id)").fingerprint)
  }

  /// Inserts readings. Returns the new readings, and the readings that a track log would reject.
  mutating func insert(_ readings: [TrackReading], of device: String) -> [TrackReading] {
    readings.filter { reading in
      guard let moment = ReadingMoment(reading) else { return true }
      return inserted.insert(CompactIdentifier("\(device) \(moment.key)").fingerprint)
    }
  }

  mutating func add(_ event: Event) { events[Self.hour(event.timestamp), default: []].append(event) }

  mutating func add(_ readings: [TrackReading], of device: String) { self.readings[device, default: []] += readings }

  /// Whether an added event meets a condition. Searches all hours that the range touches.
  func hasEvent(in range: Range<Date>, where condition: (Event) -> Bool) -> Bool {
    (Self.hour(range.lowerBound)...Self.hour(range.upperBound)).contains {
      events[$0]?.contains(where: condition) == true
    }
  }

  private static func hour(_ time: Date) -> Int { Int((time.timeIntervalSince1970 / 3600).rounded(.down)) }

  /// Detects trips and visits in the added readings, as the import would. Returns the number of new trips and visits.
  mutating func find(in store: any ImportStore, tripTypeId: String) throws -> Int {
    guard !readings.isEmpty else { return 0 }
    let journal = try store.makeJournal()
    let (places, stop) = (try journal.geofences(), try journal.tripStop())
    let log = try store.presentTrackLog()
    var count = 0
    for (device, new) in readings {
      var all: [Int64: TrackReading] = [:]
      try log?.forEach(device: device, after: nil, through: nil) { reading in
        if let moment = ReadingMoment(reading) { all[moment.key] = reading }
      }
      for reading in new {
        if let moment = ReadingMoment(reading), all[moment.key] == nil { all[moment.key] = reading }
      }
      let recording = Recording(device: device, readings: all.sorted { $0.key < $1.key }.map(\.value))
      for event in recording.events(geofences: places, tripTypeId: tripTypeId, stop: stop) {
        guard try !store.isKnown(.event, id: event.id),
          try event.sourceType != .trip || journal.told(event) == nil, findings.insert(event.id).inserted
        else { continue }
        count += 1
        add(event)
      }
    }
    return count
  }
}
