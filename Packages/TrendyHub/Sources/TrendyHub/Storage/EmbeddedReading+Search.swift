import TrendyModels
import TrendyPersistence

extension EmbeddedReading {
  /// Filters events by type in the time index, then by their stored text, and decodes only the remaining ones.
  func events(during moments: Range<Int64>, limit: Int, prefilter: EventPrefilter) throws -> PrefilteredEvents {
    var pools = StoredMoment.Pools()
    let listed = try records.scan(
      kind: HubRecordKind.living, group: HubRecordKey.group(SyncedKind.event.name), from: moments.lowerBound,
      to: moments.upperBound, descending: true, limit: limit)
    var entries: [HubEntry] = []
    for living in listed {
      let event = living.withPayload { StoredMoment.read($0, moment: living.sort, &pools) }
      if let event, !prefilter.mayHold(event, document: { nil }) { continue }
      let record = try entryRecord(key: living.key)
      let mayHold = record.withPayload { bytes in
        guard let event else { return true }
        return prefilter.mayHold(event) { StoredEntry.document(in: bytes) }
      }
      if mayHold { entries.append(try Self.entry(record)) }
    }
    return PrefilteredEvents(entries: entries, looked: listed.count, last: listed.last?.sort)
  }

  func eachText(during moments: Range<Int64>, _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Int {
    let listed = try records.scan(
      kind: HubRecordKind.living, group: HubRecordKey.group(SyncedKind.event.name), from: moments.lowerBound,
      to: moments.upperBound)
    for living in listed {
      // Read the whole row, which contains the event's document.
      try entryRecord(key: living.key).withPayload { try body($0) }
    }
    return listed.count
  }
}
