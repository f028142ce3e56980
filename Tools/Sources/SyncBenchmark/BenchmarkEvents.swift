import Foundation
import TrendyModels

/// Deterministic events of a typical day.
enum BenchmarkEvents {
  static let eventTypeId = "018f0000-0000-7000-8000-000000000001"

  static var eventType: EventType {
    EventType(id: eventTypeId, name: "Coffee", colorHex: "#8B5A2B", iconName: "cup.and.saucer")
  }

  /// Returns the UUID for a number from 1 to 2^32 - 1.
  static func identifier(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "018f0000-0000-7000-9000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  static func event(_ number: Int) -> Event {
    var event = Event(
      id: identifier(number), eventTypeId: eventTypeId,
      timestamp: Date(timeIntervalSince1970: 1_500_000_000 + Double(number) * 613))
    event.notes = number.isMultiple(of: 3) ? "with oat milk, number \(number)" : nil
    event.locationLatitude = 51.927 + Double(number % 997) * 0.000_1
    event.locationLongitude = 4.362 + Double(number % 991) * 0.000_1
    event.locationName = "Corner café"
    event.timeZone = "Europe/Amsterdam"
    event.properties = [
      "cups": PropertyValue(type: .number, value: .int(Int64(number % 4 + 1))),
      "size": PropertyValue(type: .select, value: number.isMultiple(of: 2) ? "large" : "small"),
    ]
    return event
  }
}
