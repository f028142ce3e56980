import AppContainer
import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels
import TrendyProtocols
import TrendyTrips

extension Command {
  static let tripCommands: [Command] = [
    Command(
      path: ["trip", "list"], arguments: "", summary: "The trips, the newest first.", group: .drive,
      examples: ["trip list --since mon", "trip list --json"],
      options: [
        OptionSpec("--since", value: "time", help: "not before"),
        OptionSpec("--until", value: "time", help: "before"),
        OptionSpec("--limit", value: "n", help: "at most so many (50; 0 for all)"),
      ]
    ) { session in
      let store = try session.openStore().makeStore()
      let since = try session.date(option: "--since") ?? .distantPast
      let until = try session.date(option: "--until") ?? .distantFuture
      guard since <= until else { throw session.usageError("--since is after --until") }
      let limit = try session.wholeNumber(option: "--limit", in: 0...Int.max) ?? 50
      let all = try store.events(in: since..<until, ofType: nil, limit: nil).filter { $0.sourceType == .trip }
      let trips = (limit > 0 ? Array(all.prefix(limit)) : all).map { TripText($0, session: session) }
      switch session.console.format {
      case .json: session.console.document("trendy.trips/1", [("trips", .array(trips.map(\.json)))])
      case .ndjson: for trip in trips { session.console.data("\(trip.json)") }
      case .plain: for trip in trips { session.console.row(trip.plain) }
      case .text:
        if trips.isEmpty { session.console.text("No trips yet. A recorded drive: trendy import gpx FILE") }
        for trip in trips { session.console.text(trip.line) }
      }
      return .done
    },
    Command(
      path: ["trip", "show"], arguments: "<id> | --live", summary: "One trip, whole; or the one that goes on.",
      group: .drive,
      examples: ["trip show @1", "trip show --live"],
      options: [OptionSpec("--live", help: "the trip that goes on, until interrupted: a line that follows it")]
    ) { session in
      if session.arguments.has("--live") {
        _ = try session.positionals(0...0, missing: "")
        return try LiveCommand(session: session).run()
      }
      let store = try session.openStore().makeStore()
      let event = try Lookup(store: store).event(session.positionals(1...1, missing: "the id")[0]) {
        $0.sourceType == .trip
      }
      let trip = TripText(event, session: session)
      switch session.console.format {
      case .json, .ndjson: session.console.document("trendy.trip/1", [("trip", trip.json)])
      case .plain: session.console.row(trip.plain)
      case .text: for line in trip.lines { session.console.text(line) }
      }
      return .done
    },
  ]
}

/// A trip as a person reads it, and as scripts do.
struct TripText {
  private let event: Event
  private let local: LocalTime
  private let year: Int

  init(_ event: Event, session: Session) {
    self.event = event
    local = session.local
    year = local.components(of: session.now).year
  }

  /// Metres.
  private var distance: Double? { event.properties["distance"]?.doubleValue }
  private var seconds: Double? { event.endDate.map { $0.timeIntervalSince(event.timestamp) } }
  private var car: String? { event.properties["car"]?.stringValue }

  /// `Tue 18 Nov 2014 09:37 – 10:12  7.45 km  35m  0199f3c2-7a40`.
  var line: String {
    let category = event.properties["category"]?.stringValue
    let end = event.endDate.map { " – \(local.time($0))" } ?? ""
    let parts = [
      local.dayAndTime(event.timestamp, year: year) + end, kilometres, seconds.map(TimePhrase.words), car, category,
    ]
    return (parts.compactMap(\.self) + [ShortID.of(event.id)]).joined(separator: "  ")
  }

  var lines: [String] {
    var rows = [("id", event.id), ("start", local.rfc3339(event.timestamp))]
    if let end = event.endDate { rows.append(("end", local.rfc3339(end))) }
    if let kilometres { rows.append(("distance", kilometres)) }
    if let seconds { rows.append(("duration", TimePhrase.words(seconds))) }
    if let speed = speed("average_speed") { rows.append(("average", speed)) }
    if let speed = speed("top_speed") { rows.append(("top speed", speed)) }
    if let car { rows.append(("car", car)) }
    if let category = event.properties["category"]?.stringValue {
      let why = event.properties["rule"]?.stringValue.map { "rule '\($0)'" } ?? "by hand"
      rows.append(("for", "\(category) (\(why))"))
    }
    if let latitude = event.locationLatitude, let longitude = event.locationLongitude {
      rows.append(("from", "\(latitude), \(longitude)"))
    }
    if let notes = event.notes { rows.append(("note", notes)) }
    return rows.map { "\($0)\(String(repeating: " ", count: 10 - $0.count))\($1)" }
  }

  var plain: [String] {
    [
      event.id, local.rfc3339(event.timestamp), event.endDate.map { local.rfc3339($0) } ?? "",
      JSONText.number(distance).description, JSONText.number(seconds).description,
    ]
  }

  var json: JSONText {
    .object([
      ("id", .string(event.id)), ("start", .string(local.rfc3339(event.timestamp))),
      ("end", .string(event.endDate.map { local.rfc3339($0) })), ("distance_m", .number(distance)),
      ("duration_s", .number(seconds)),
      ("average_speed_mps", .number(event.properties["average_speed"]?.doubleValue)),
      ("top_speed_mps", .number(event.properties["top_speed"]?.doubleValue)), ("car", .string(car)),
      ("vehicle_id", .string(event.properties["vehicle"]?.stringValue)),
      ("category", .string(event.properties["category"]?.stringValue)),
      ("rule", .string(event.properties["rule"]?.stringValue)),
      ("business_distance_m", .number(TripEvent(event)?.businessDistance)),
      ("start_latitude", .number(event.locationLatitude)), ("start_longitude", .number(event.locationLongitude)),
      ("route", .string(event.properties["route"]?.stringValue)), ("notes", .string(event.notes)),
      ("sync_status", .string(event.syncStatus.rawValue)),
    ])
  }

  private var kilometres: String? {
    distance.map { metres in
      guard let hundredths = Int(exactly: (metres / 10).rounded()), hundredths >= 0 else { return "\(metres) m" }
      let rest = hundredths % 100
      return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) km"
    }
  }

  private func speed(_ key: String) -> String? {
    event.properties[key]?.doubleValue.map { "\(JSONText.number(($0 * 3.6).rounded())) km/h" }
  }
}
