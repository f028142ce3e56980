import TrendyAgent
import AppContainer
import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyInterchange
import TrendyModels
import TrendyProtocols
import TrendyTrips

private let spanOptions = [
  OptionSpec("--month", value: "month", help: "2026-11, or a year: 2026 (this month)"),
  OptionSpec("--vehicle", value: "name", help: "its trips alone"),
]

extension Command {
  static let mileageCommands: [Command] = [
    Command(
      path: ["trip", "report"], arguments: "", summary: "How far was driven in a month, by vehicle and what for.",
      group: .drive,
      examples: ["trip report", "trip report --month 2026-10"],
      options: spanOptions
    ) { session in
      let store = try session.openStore().makeStore()
      let (span, name) = try span(session)
      let only = try session.arguments.value("--vehicle").map { try Lookup(store: store).vehicle($0) }
      let trips = try store.trips(in: span).filter { only == nil || $0.vehicleId == only?.id }
      let names = Dictionary(
        try store.vehicles().map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
      let rows = Dictionary(grouping: trips) { $0.vehicleId ?? "" }
        .map { id, trips in
          // One that was deleted since is told by the name that its trips keep.
          (
            id: id, name: names[id] ?? trips.last?.carName ?? (id.isEmpty ? "no vehicle" : id),
            mileage: Mileage(of: trips)
          )
        }
        .sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
      let total = Mileage(of: trips)
      switch session.console.format {
      case .json, .ndjson:
        session.console.document(
          "trendy.report/1",
          [
            ("from", .string(session.local.rfc3339(span.lowerBound))),
            ("to", .string(session.local.rfc3339(span.upperBound))),
            (
              "vehicles",
              .array(
                rows.map {
                  .object(
                    [("vehicle_id", .string($0.id.isEmpty ? nil : $0.id)), ("name", .string($0.name))]
                      + members($0.mileage))
                })
            ), ("total", .object(members(total))),
          ])
      case .plain:
        for row in rows {
          session.console.row(
            [row.id, row.name, "\(row.mileage.trips)"]
              + [row.mileage.total, row.mileage.business, row.mileage.private, row.mileage.unclassified]
              .map { JSONText.number($0).description })
        }
      case .text:
        session.console.text("\(name): \(line(total))")
        if rows.count > 1 { for row in rows { session.console.text("  \(row.name): \(line(row.mileage))") } }
      }
      return .done
    },
    Command(
      path: ["export", "mileage"], arguments: "[<file>]",
      summary: "A mileage log of 19 columns, a trip a row; to the output, or to a file.", group: .data,
      examples: ["export mileage", "export mileage mileage.csv"],
      options: spanOptions + [
        OptionSpec("--format", value: "format", help: "csv"),
        OptionSpec("--all", help: "every trip there is"),
        OptionSpec("--by-vehicle", help: "a file for each vehicle, named after it, in the folder <file>"),
      ]
    ) { session in
      let format = session.arguments.value("--format") ?? "csv"
      guard format == "csv" else { throw session.usageError("'\(format)' is no format of a mileage log", hint: "csv") }
      let target = try session.positionals(0...1, missing: "").first
      let isApart = session.arguments.has("--by-vehicle")
      if isApart, target == nil { throw session.usageError("Missing the folder for --by-vehicle") }
      let container = try session.openStore()
      let store = container.makeStore()
      let only = try session.arguments.value("--vehicle").map { try Lookup(store: store).vehicle($0) }
      let log = try MileageLog(store: store)
      let trips = try store.trips(in: session.arguments.has("--all") ? nil : span(session).span)
        .filter { only == nil || $0.vehicleId == only?.id }
      let local = session.local
      let writer = MileageCSVWriter { local.components(of: $0).secondsFromGMT }
      guard let target else {
        session.console.raw(writer.string(trips.map(log.row)))
        return .done
      }
      guard isApart else {
        try write(writer.string(trips.map(log.row)), to: URL(filePath: target))
        session.console.done("\(trips.count) trips in \(target)")
        return .done
      }
      let folder = URL(filePath: target)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      var taken: Set<String> = []
      for (_, trips) in Dictionary(grouping: trips, by: { $0.vehicleId ?? "" }).sorted(by: { $0.key < $1.key }) {
        let base = fileName(log.row(trips[0]).vehicle)
        var name = base
        var number = 2
        while !taken.insert(name.lowercased()).inserted {
          name = "\(base)-\(number)"
          number += 1
        }
        try write(writer.string(trips.map(log.row)), to: folder.appending(path: "\(name).csv"))
        session.console.done("\(trips.count) trips in \(target)/\(name).csv")
      }
      return .done
    },
    Command(
      path: ["trip", "rule", "add"], arguments: "<name> <category>",
      summary:
        "Make a rule that says what a trip was for; the first that holds decides, and yours replace the standard ones.",
      group: .drive,
      examples: ["trip rule add commute business --place Office"],
      options: [
        OptionSpec("--place", value: "name", help: "with this place at either end; may be given again"),
        OptionSpec("--role", value: "role", help: "with a place of this role at either end: office"),
        OptionSpec("--days", value: "days", help: "on these weekdays: mon,tue or sat,sun"),
        OptionSpec("--hours", value: "a-b", help: "that begin in these hours: 7:00-18:30"),
        OptionSpec("--vehicle", value: "name", help: "made with this vehicle; may be given again"),
        OptionSpec("--over", value: "length", help: "at least so long"),
        OptionSpec("--position", value: "n", help: "its place in the row (after the last)"),
      ]
    ) { session in
      let words = try session.positionals(2...2, missing: "the name and the category")
      let container = try session.openStore()
      let store = container.makeStore()
      let rules = try store.tripRules()
      guard session.isName(words[0]), !rules.contains(where: { $0.name.lowercased() == words[0].lowercased() }) else {
        throw session.usageError("'\(words[0])' cannot be the name of a rule", hint: "One line that no other has.")
      }
      let position = session.arguments.value("--position")
      guard position == nil || position.flatMap(Double.init)?.isFinite == true else {
        throw session.usageError("The value '\(position ?? "")' is invalid for '--position'", hint: "A number.")
      }
      let rule = TripRule(
        id: container.makeID(), name: words[0],
        position: position.flatMap(Double.init) ?? (rules.last?.position ?? 0) + 1,
        category: try category(words[1], session: session), conditions: try conditions(session, store: store))
      try container.record.perform("add rule \(rule.name)", [record(rule)])
      return show([rule], session: session)
    },
    Command(
      path: ["trip", "rule", "list"], arguments: "", summary: "The rules, in the order in which they are asked.",
      group: .drive,
      examples: ["trip rule list"]
    ) {
      session in
      let own = try session.openStore().makeStore().tripRules()
      if own.isEmpty, session.console.format == .text { session.console.talk("No rules of your own; these decide:") }
      return show(own.isEmpty ? TripRule.standard : own, session: session)
    },
    Command(
      path: ["trip", "rule", "rm"], arguments: "<name>", summary: "Delete a rule; trips keep what it said.",
      group: .drive,
      examples: ["trip rule rm commute"]
    ) {
      session in
      let name = try session.positionals(1...1, missing: "the name")[0]
      let container = try session.openStore()
      let rules = try container.makeStore().tripRules()
      guard let rule = rules.first(where: { $0.name.lowercased() == name.lowercased() || $0.id == name }) else {
        let near = Suggestion.nearest(to: name, among: rules.map(\.name))
        throw CommandError(
          "No rule '\(name)'.", hint: near.map { "Did you mean '\($0)'?" } ?? "trendy trip rule list", exit: .notFound)
      }
      try container.record.perform("delete rule \(rule.name)", [], before: [record(rule)])
      session.console.done("Deleted: \(rule.name)")
      return .done
    },
  ]

  /// The month or the year that was asked for, in the person's zone.
  private static func span(_ session: Session) throws(CommandError) -> (span: Range<Date>, name: String) {
    let now = session.local.components(of: session.now)
    guard let text = session.arguments.value("--month") else {
      return span(session, year: now.year, month: now.month)
    }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    if parts.count == 1, let year = parts[0], (1...9998).contains(year) {
      return (
        session.local.date(year: year, month: 1, day: 1)..<session.local.date(year: year + 1, month: 1, day: 1),
        "\(year)"
      )
    }
    guard parts.count == 2, let year = parts[0], let month = parts[1], (1...9998).contains(year),
      (1...12).contains(month)
    else { throw session.usageError("'\(text)' is no month", hint: "Months look like 2026-11.") }
    return span(session, year: year, month: month)
  }

  private static func span(_ session: Session, year: Int, month: Int) -> (span: Range<Date>, name: String) {
    let next = month == 12 ? (year + 1, 1) : (year, month + 1)
    return (
      session.local.date(year: year, month: month, day: 1)..<session.local.date(year: next.0, month: next.1, day: 1),
      "\(LocalTime.months[month - 1]) \(year)"
    )
  }

  private static func members(_ mileage: Mileage) -> [(String, JSONText)] {
    func tenths(_ metres: Double) -> JSONText { .number((metres * 10).rounded() / 10) }
    return [
      ("trips", .number(mileage.trips)), ("total_m", tenths(mileage.total)), ("business_m", tenths(mileage.business)),
      ("private_m", tenths(mileage.private)), ("unclassified_m", tenths(mileage.unclassified)),
    ]
  }

  private static func line(_ mileage: Mileage) -> String {
    var parts = [
      mileage.trips == 1 ? "1 trip" : "\(mileage.trips) trips", LengthText.kilometres(mileage.total),
      "business \(LengthText.kilometres(mileage.business))", "private \(LengthText.kilometres(mileage.private))",
    ]
    if mileage.unclassified > 0 { parts.append("nobody said \(LengthText.kilometres(mileage.unclassified))") }
    return parts.joined(separator: "  ")
  }

  private static func write(_ text: String, to file: URL) throws(CommandError) {
    do {
      try Data(text.utf8).write(to: file, options: .atomic)
    } catch {
      throw CommandError("\(file.path) cannot be written", exit: .cannotCreate)
    }
  }

  /// What is a letter or a digit in any language, and no path.
  private static func fileName(_ name: String) -> String {
    let safe = String(name.map { $0.isLetter || $0.isNumber || $0 == "-" || $0 == " " ? $0 : "_" })
    return safe.allSatisfy { $0 == "_" || $0 == " " } ? "no vehicle" : String(safe.prefix(60))
  }

  private static func conditions(
    _ session: Session, store: any DataStoreProtocol
  ) throws -> TripRule.Conditions {
    var conditions = TripRule.Conditions()
    let places = try session.arguments.all("--place").map { try Lookup(store: store).place($0).id }
    if !places.isEmpty { conditions.placeIds = places }
    conditions.role = session.arguments.value("--role")
    let vehicles = try session.arguments.all("--vehicle").map { try Lookup(store: store).vehicle($0).id }
    if !vehicles.isEmpty { conditions.vehicleIds = vehicles }
    conditions.minimumDistance = try session.arguments.value("--over").map { try session.metres($0, of: "--over") }
    if let text = session.arguments.value("--days") {
      conditions.weekdays = try text.lowercased().split(separator: ",").map { word in
        guard let day = weekdays.firstIndex(where: { word.hasPrefix($0) }) else {
          throw session.usageError("'\(word)' is no weekday", hint: weekdays.joined(separator: ", "))
        }
        return day + 1
      }
    }
    if let text = session.arguments.value("--hours") {
      let ends = text.split(separator: "-").map { part -> Double? in
        let numbers = part.split(separator: ":").map { Int($0) }
        guard let hour = numbers.first ?? nil, (0...24).contains(hour), numbers.count <= 2 else { return nil }
        let minute = numbers.count == 2 ? numbers[1] : 0
        guard let minute, (0...59).contains(minute) else { return nil }
        return Double(hour * 3600 + minute * 60)
      }
      guard ends.count == 2, let from = ends[0], let to = ends[1] else {
        throw session.usageError("'\(text)' are no hours", hint: "Hours look like 7:00-18:30.")
      }
      conditions.hours = TripRule.Conditions.Span(from: from, to: to)
    }
    return conditions
  }

  private static let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

  private static func record(_ rule: TripRule) -> Undoable {
    .record(SyncedRecord(id: rule.id, kind: .tripRule, fields: rule.fields))
  }

  private static func show(_ rules: [TripRule], session: Session) -> ExitCode {
    func json(_ rule: TripRule) -> JSONText {
      .object([("id", .string(rule.id))] + rule.fields.sorted { $0.key < $1.key }.map { ($0.key, .value($0.value)) })
    }
    switch session.console.format {
    case .json: session.console.document("trendy.trip_rules/1", [("trip_rules", .array(rules.map(json)))])
    case .ndjson: for rule in rules { session.console.data("\(json(rule))") }
    case .plain: for rule in rules { session.console.row([rule.id, rule.name, rule.category.rawValue]) }
    case .text:
      for rule in rules {
        let conditions = rule.fields["conditions"]?.objectValue ?? [:]
        let words = conditions.sorted { $0.key < $1.key }.map { "\($0.key) \(JSONText.value($0.value))" }
        session.console.text(
          "\(rule.name)  \(rule.category.rawValue)  \(words.isEmpty ? "always" : words.joined(separator: ", "))")
      }
    }
    return .done
  }
}

/// Trips as rows of a mileage log: with the names of their places, and what the clock of their vehicle stood at.
private struct MileageLog {
  private let places: [Geofence]
  private let names: [String: String]
  /// Metres at the start, by the trip's id.
  private var odometers: [String: Double] = [:]

  init(store: any DataStoreProtocol) throws {
    places = try store.fetchAllGeofences()
    let vehicles = try store.vehicles()
    names = Dictionary(vehicles.map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
    // Reckoned from the first trip on: all have to be read, also of one month.
    var clock = Dictionary(vehicles.map { ($0.id, $0.startOdometer) }, uniquingKeysWith: { $1 })
    for trip in try store.trips(in: nil) {
      guard let id = trip.vehicleId, let metres = clock[id] ?? nil else { continue }
      odometers[trip.event.id] = metres
      clock[id] = metres + trip.distance
    }
  }

  func row(_ trip: TripEvent) -> MileageRow {
    let start = odometers[trip.event.id]
    return MileageRow(
      id: trip.event.id, start: trip.start, end: trip.end, from: name(trip.startPlace), to: name(trip.endPlace),
      startPlace: trip.startPlace, endPlace: trip.endPlace, distance: trip.distance,
      category: trip.category?.rawValue ?? "", business: trip.businessDistance, startOdometer: start,
      endOdometer: start.map { $0 + trip.distance },
      vehicle: trip.vehicleId.flatMap { names[$0] } ?? trip.carName ?? "", notes: trip.event.notes ?? "",
      recordedAt: UUIDv7(trip.event.id)?.date)
  }

  private func name(_ place: Coordinate?) -> String {
    places.around(place).first?.name
      ?? place.map { "\(($0.latitude * 1e5).rounded() / 1e5), \(($0.longitude * 1e5).rounded() / 1e5)" } ?? ""
  }
}
