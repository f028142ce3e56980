#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels

/// Counts events, row by row, by type, day and minute.
final class EventCounter {
  private let local: LocalTime
  private let zone: [UInt8]?
  private let reader: EventReader
  private var walk: DayWalk
  private var counts: [EventTally.Counts] = []
  private var names: [String] = []
  private var places: [String: Int] = [:]
  /// Those of types whose ids are UUIDs, to make no text for each row.
  private var placesOfKeys: [RecordKey: Int] = [:]
  private var lastKey = RecordKey(high: 0, low: 0)
  private var lastPlace = 0

  init(local: LocalTime, reader: EventReader) {
    self.local = local
    self.reader = reader
    zone = local.zoneName.map { Array($0.utf8) }
    walk = DayWalk(local)
  }

  var tally: EventTally {
    EventTally(types: Dictionary(uniqueKeysWithValues: zip(names, counts)).filter { $0.value.events != 0 })
  }

  func count(_ record: UnsafeRawPointer, _ step: Int32) throws(StorageError) {
    guard let fields = EventFields(record) else { throw Self.unreadable(record) }
    let place = place(of: fields)
    let isOfPosition = fields.sourceType.isOfPosition
    if fields.traits.isAllDay || !wasRecordedHere(fields) {
      guard let event = reader.event(record) else { throw Self.unreadable(record) }
      counts[place].count(
        on: local.day(of: event), minute: local.minuteOfDay(of: event), isOfPosition: isOfPosition, step)
    } else {
      let moment = fields.date
      counts[place].count(
        on: walk.day(of: moment), minute: walk.minuteOfDay(of: moment), isOfPosition: isOfPosition, step)
    }
  }

  func add(_ tally: EventTally) {
    for (name, counts) in tally.types { self.counts[place(named: name)].add(counts) }
  }

  /// Whether the clock here is the one that it was recorded by; also where none is known.
  private func wasRecordedHere(_ fields: EventFields) -> Bool {
    guard let own = fields.timeZone else { return true }
    guard let zone else { return false }
    return own.elementsEqual(zone)
  }

  private func place(of fields: EventFields) -> Int {
    guard let bits = fields.typeBits else { return place(named: reader.eventTypeId(fields)) }
    let key = RecordKey(high: bits.high, low: bits.low)
    if key == lastKey, !counts.isEmpty { return lastPlace }
    let place = placesOfKeys[key] ?? place(named: reader.eventTypeId(fields))
    placesOfKeys[key] = place
    (lastKey, lastPlace) = (key, place)
    return place
  }

  private func place(named name: String) -> Int {
    if let place = places[name] { return place }
    places[name] = counts.count
    names.append(name)
    counts.append(EventTally.Counts())
    return counts.count - 1
  }

  private static func unreadable(_ record: UnsafeRawPointer) -> StorageError {
    .unreadableRow(kind: RecordLayout.kind(record), key: RecordLayout.key(record))
  }
}
