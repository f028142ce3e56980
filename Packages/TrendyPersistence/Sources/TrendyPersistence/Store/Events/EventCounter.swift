import TrendyFoundation
import TrendyModels

final class EventCounter {
  private let local: LocalTime
  private let zone: [UInt8]?
  private let reader: EventReader
  /// Ids of the types to count, or `nil` for all.
  private let types: Set<String>?
  private var walk: CachedDayCalendar
  private var counts: [DailyCounts.Counts] = []
  private var names: [String] = []
  private var places: [String: Int] = [:]
  /// Indexes of types by key, for ids that are UUIDs, to avoid creating a string for each row.
  private var placesOfKeys: [RowKey: Int?] = [:]
  private var last: (key: RowKey, place: Int?)?

  init(local: LocalTime, reader: EventReader, ofTypes types: Set<String>? = nil) {
    self.local = local
    self.reader = reader
    self.types = types
    zone = local.zoneName.map { Array($0.utf8) }
    walk = CachedDayCalendar(local)
  }

  var tally: DailyCounts {
    DailyCounts(types: Dictionary(uniqueKeysWithValues: zip(names, counts)).filter { $0.value.events != 0 })
  }

  func count(_ record: UnsafeRawPointer, _ step: Int32) throws(StorageError) {
    guard let fields = EventRowFields(record) else { throw Self.unreadable(record) }
    guard let place = place(of: fields) else { return }
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

  func add(_ tally: DailyCounts) {
    for (name, counts) in tally.types {
      if let place = place(named: name) { self.counts[place].add(counts) }
    }
  }

  /// Whether the event was recorded in the local time zone, or its time zone is unknown.
  private func wasRecordedHere(_ fields: EventRowFields) -> Bool {
    guard let own = fields.timeZone else { return true }
    guard let zone else { return false }
    return own.elementsEqual(zone)
  }

  /// Returns `nil` if the event's type is not counted.
  private func place(of fields: EventRowFields) -> Int? {
    guard let bits = fields.typeBits else { return place(named: reader.eventTypeId(fields)) }
    let key = RowKey(high: bits.high, low: bits.low)
    if let last, key == last.key { return last.place }
    let place = placesOfKeys[key] ?? place(named: reader.eventTypeId(fields))
    placesOfKeys[key] = .some(place)
    last = (key, place)
    return place
  }

  private func place(named name: String) -> Int? {
    if let place = places[name] { return place }
    guard types?.contains(name) ?? true else { return nil }
    places[name] = counts.count
    names.append(name)
    counts.append(DailyCounts.Counts())
    return counts.count - 1
  }

  private static func unreadable(_ record: UnsafeRawPointer) -> StorageError {
    .unreadableRow(kind: RowLayout.kind(record), key: RowLayout.key(record))
  }
}
