import TrendyModels

/// Format of an event's type, time zone and source, stored beside its timestamp in the list index. Daily counts need
/// nothing else.
///
/// Layout: the byte 1; flags, starting with the lowest bit: all-day, has a time zone, type id is a UUID, three bits for
/// the source (0 means none); the type id as 16 bytes, or as a length byte and text; the time zone.
enum StoredMoment {
  private static let form: UInt8 = 1
  private static let allDay: UInt8 = 1
  private static let hasZone: UInt8 = 2
  private static let isUUID: UInt8 = 4
  private static let sourceShift: UInt8 = 3
  /// The indexes are part of the file format, so new values must be appended.
  private static let sources: [EventSourceType] = [.manual, .imported, .geofence, .healthKit, .trip]

  /// Encodes an event. Returns an empty array if a value does not fit the format.
  static func write(_ event: HubEventMoment) -> [UInt8] {
    var flags = event.isAllDay ? allDay : 0
    if let source = event.sourceType {
      guard let place = sources.firstIndex(of: source) else { return [] }
      flags |= UInt8(place + 1) << sourceShift
    }
    var bytes = [form]
    if let bits = CompactIdentifier.bits(ofCanonical: event.eventTypeId) {
      flags |= isUUID
      bytes.append(flags)
      for word in [bits.high, bits.low] {
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
      }
    } else {
      guard let count = UInt8(exactly: event.eventTypeId.utf8.count) else { return [] }
      bytes += [flags, count]
      bytes += event.eventTypeId.utf8
    }
    if let zone = event.timeZone {
      bytes[1] |= hasZone
      bytes += zone.utf8
    }
    return bytes
  }

  struct Pools {
    var types = TextPool()
    var zones = TextPool()
  }

  /// Decodes an event, or returns `nil` for an unknown format.
  static func read(_ bytes: UnsafeRawBufferPointer, moment: Int64, _ pools: inout Pools) -> HubEventMoment? {
    guard bytes.count > 2, bytes[0] == form else { return nil }
    let flags = bytes[1]
    let id = flags & isUUID != 0 ? 2..<18 : 3..<3 + Int(bytes[2])
    let source = Int(flags >> sourceShift & 7)
    guard id.upperBound <= bytes.count, source <= sources.count else { return nil }
    // `CompactIdentifier` supports only the RFC 9562 variant, so UUIDs of any other variant are stored as text.
    guard flags & isUUID == 0 || bytes[10] >> 6 == 2 else { return nil }
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[range]) }
    let type = flags & isUUID != 0 ? pools.types.text(part(id), uuid) : pools.types.text(part(id))
    return HubEventMoment(
      eventTypeId: type, moment: moment, isAllDay: flags & allDay != 0,
      timeZone: flags & hasZone != 0 ? pools.zones.text(part(id.upperBound..<bytes.count)) : nil,
      sourceType: source == 0 ? nil : sources[source - 1])
  }

  private static func uuid(_ bytes: UnsafeRawBufferPointer) -> String {
    func word(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
    return CompactIdentifier(high: word(0..<8), low: word(8..<16)).text
  }
}
