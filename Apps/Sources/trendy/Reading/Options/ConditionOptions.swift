import CommandSupport
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// Options for the conditions of a trip rule.
struct ConditionOptions {
  static let all = [
    OptionSpec(
      "--place", value: "name", kind: .place, repetition: .allCount, help: "trips that start or end at this place"),
    OptionSpec("--role", value: "role", kind: .text, help: "trips that start or end at a place with this role: office"),
    OptionSpec("--days", value: "days", kind: .text, help: "trips on these days: mon,wed or mon-fri or weekend"),
    OptionSpec("--hours", value: "a-b", kind: .text, help: "trips that start in these hours: 7:00-18:30"),
    OptionSpec("--vehicle", value: "name", kind: .vehicle, repetition: .allCount, help: "trips with this vehicle"),
    OptionSpec("--over", value: "length", kind: .text, help: "trips of at least this distance"),
  ]

  private let placeNames: [String]
  private let vehicleNames: [String]
  /// Conditions other than places and vehicles.
  private let others: TripRule.Conditions

  init(_ session: Session) throws(CommandError) {
    placeNames = session.arguments.all("--place")
    vehicleNames = session.arguments.all("--vehicle")
    others = TripRule.Conditions(
      role: session.arguments.value("--role"), weekdays: try Self.weekdays(session), hours: try Self.hours(session),
      minimumDistance: try session.metres(option: "--over"))
  }

  func conditions(in store: any DataStoreProtocol) throws -> TripRule.Conditions {
    let lookup = Lookup(store: store)
    var conditions = others
    if !placeNames.isEmpty { conditions.placeIds = try placeNames.map { try lookup.place($0).id } }
    if !vehicleNames.isEmpty { conditions.vehicleIds = try vehicleNames.map { try lookup.vehicle($0).id } }
    return conditions
  }
}

extension ConditionOptions {
  /// Weekday names in ISO 8601 order.
  private static let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

  private static func weekdays(_ session: Session) throws(CommandError) -> [Int]? {
    guard let text = session.arguments.value("--days") else { return nil }
    var found: Set<Int> = []
    for part in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
      switch part {
      case "weekdays": found.formUnion(1...5)
      case "weekend": found.formUnion(6...7)
      default:
        let ends = try part.split(separator: "-", omittingEmptySubsequences: false).map {
          word throws(CommandError) in try weekday(word, session)
        }
        guard let first = ends.first, let last = ends.last, ends.count <= 2 else {
          throw noWeekday(part, session)
        }
        // A range such as `fri-mon` continues into the next week.
        found.formUnion((0...(last - first + 7) % 7).map { (first - 1 + $0) % 7 + 1 })
      }
    }
    return found.sorted()
  }

  /// Parses a weekday from at least two letters into 1 (Monday) to 7.
  private static func weekday(_ word: Substring, _ session: Session) throws(CommandError) -> Int {
    guard word.count >= 2, let index = days.firstIndex(where: { $0.hasPrefix(word) }) else {
      throw noWeekday(word, session)
    }
    return index + 1
  }

  private static func noWeekday(_ word: Substring, _ session: Session) -> CommandError {
    session.usageError(
      "Invalid weekday '\(word)'", hint: "Use a list such as mon,wed, a range such as mon-fri, weekdays or weekend.")
  }

  private static func hours(_ session: Session) throws(CommandError) -> TripRule.Conditions.Span? {
    guard let text = session.arguments.value("--hours") else { return nil }
    let ends = text.split(separator: "-").map(seconds)
    guard ends.count == 2, let from = ends[0], let to = ends[1] else {
      throw session.usageError("Invalid hours '\(text)'", hint: "Use a range such as 7:00-18:30.")
    }
    return TripRule.Conditions.Span(from: from, to: to)
  }

  /// Parses a time such as `7` or `7:00` into seconds since midnight.
  private static func seconds(_ text: Substring) -> Double? {
    let numbers = text.split(separator: ":").map { Int($0) }
    guard let hour = numbers.first ?? nil, (0...24).contains(hour), numbers.count <= 2 else { return nil }
    guard let minute = numbers.count == 2 ? numbers[1] : 0, (0...59).contains(minute) else { return nil }
    return Double(hour * 3600 + minute * 60)
  }
}
