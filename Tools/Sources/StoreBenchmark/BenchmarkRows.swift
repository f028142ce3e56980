package import TrendyFoundation
package import TrendyModels
import TrendyPersistence

/// The rows of a benchmark, deterministic and identical to the rows of the C program that measures other engines.
///
/// Properties are JSON text in the C program and typed values here. For example,
/// `{"mood":1,"weight_kg":85.7,"place":"1d709678","energy":"high","steps":971}` has an integer, a number with one
/// decimal, a string, a choice and an integer. ``propertiesText(_:)`` writes the same bytes.
package struct BenchmarkRows: Hashable, Sendable {
  /// 2023-01-01T00:00:00Z in milliseconds since 1970.
  package static let start: Int64 = 1_672_531_200_000
  /// 1,095 days in milliseconds.
  package static let span: Int64 = 94_608_000_000
  package static let millisPerDay: Int64 = 86_400_000
  package static let typeCount = 20

  /// Number of rows that are spread over the time span, at least 1.
  package let count: Int

  package init(count: Int) {
    precondition(count > 0, "the number of rows must be positive, not \(count)")
    self.count = count
  }

  package static func typeIdentifier(_ index: Int) -> String {
    RowKey(high: 0x018c_2bb2_7a40_7000, low: 0x8000_0000_0000_0000 | UInt64(index + 1)).uuidText
  }

  /// Returns the row with the given index, which may exceed ``count``.
  package func event(_ index: Int) -> Event {
    var generator = SeededGenerator(seed: 0x5EED_0000 &+ UInt64(index) &* 0xD134_2543_DE82_EF95)
    let created = Self.start + Int64(UInt64(index) &* UInt64(Self.span) / UInt64(count))
    let randomHigh = generator.next() & 0xFFF
    let randomLow = generator.next() & (1 << 62 - 1)
    let key = RowKey(high: UInt64(created) << 16 | 0x7000 | randomHigh, low: 2 << 62 | randomLow)
    let type = Int(generator.next() % UInt64(Self.typeCount))
    var drawn = generator.next()
    let time =
      drawn % 10 == 0
      ? Self.start + Int64((drawn >> 8) % UInt64(Self.span)) : created - Int64((drawn >> 8) % 300_000)
    drawn = generator.next()
    let state = drawn
    let isLocated = state >> 40 & 1 == 1
    var event = Event(
      id: key.uuidText, eventTypeId: Self.typeIdentifier(type), timestamp: Self.date(time),
      endDate: state >> 4 & 3 == 0 ? Self.date(time + 60_000 * Int64(1 + (state >> 8) % 240)) : nil,
      isAllDay: state & 15 == 0, sourceType: Self.sources[Int(state >> 20 & 3)],
      syncStatus: Self.statuses[Int((state >> 24) % 10)])
    if isLocated {
      event.locationLatitude = -90 + Double(generator.next() >> 11) * 0x1p-53 * 180
      event.locationLongitude = -180 + Double(generator.next() >> 11) * 0x1p-53 * 360
    }
    let length = Int(generator.next() % 121)
    var letters: [UInt8] = []
    for position in 0..<length {
      if position % 8 == 0 { drawn = generator.next() }
      letters.append(Self.letters[Int(drawn & 31)])
      drawn >>= 8
    }
    if length > 0 { event.notes = String(decoding: letters, as: UTF8.self) }
    event.properties = Self.properties(generator.next())
    return event
  }

  private static let sources: [EventSourceType] = [.manual, .imported, .geofence, .healthKit]
  /// Four of five rows are synced.
  private static let statuses: [SyncStatus] =
    Array(repeating: SyncStatus.synced, count: 8) + [.pending, .failed]
  private static let letters = Array("abcdefghijklmnopqrstuvwxyz etaoin".utf8)
  private static let energies = ["low", "medium", "high"]

  private static func properties(_ drawn: UInt64) -> [String: PropertyValue] {
    let tenths = (50 + (drawn >> 8) % 50) * 10 + (drawn >> 16) % 10
    let hexadecimal = String(drawn >> 32, radix: 16)
    let place = String(repeating: "0", count: 8 - hexadecimal.count) + hexadecimal
    return [
      "mood": PropertyValue(type: .number, value: .int(Int64(drawn % 10))),
      // The division yields the same double as parsing the decimal text.
      "weight_kg": PropertyValue(type: .number, value: .double(Double(tenths) / 10)),
      "place": PropertyValue(type: .text, value: .string(place)),
      "energy": PropertyValue(type: .select, value: .string(energies[Int((drawn >> 20) % 3)])),
      "steps": PropertyValue(type: .number, value: .int(Int64((drawn >> 24) % 20_000))),
    ]
  }

  package static func date(_ millis: Int64) -> Date { Date(timeIntervalSince1970: Double(millis) / 1000) }
  /// Returns the milliseconds since 1970. `date` must be after 1970.
  package static func millis(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970 * 1000 + 0.5) }
}
