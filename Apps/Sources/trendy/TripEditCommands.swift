import TrendyAgent
import AppContainer
import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTrips

private let kindOptions = [
  OptionSpec("--vehicle", value: "name", help: "which one it was made with"),
  OptionSpec("--category", value: "word", help: "business, private or mixed"),
  OptionSpec("--business", value: "length", help: "of a mixed trip, how much of it was business"),
  OptionSpec("--note", "-n", value: "text", help: "a note"),
]

extension Command {
  static let tripEditCommands: [Command] = [
    Command(
      path: ["trip", "add"], arguments: "<length>", summary: "Record a trip that nothing recorded.", group: .drive,
      examples: ["trip add 18.3km --from 8:08 --for 35m", "trip add 12km --from -3h --for 20m --category business"],
      options: [
        OptionSpec("--from", "--at", value: "time", help: "when it began"),
        OptionSpec("--to", value: "time", help: "when it ended"),
        OptionSpec("--for", value: "duration", help: "how long it took"),
        OptionSpec("--start", value: "place", help: "the name of a place, or lat,lon"),
        OptionSpec("--end", value: "place", help: "the name of a place, or lat,lon"),
      ] + kindOptions
    ) { session in
      let length = try session.positionals(1...1, missing: "the length")[0]
      guard let start = try session.date(option: "--from") else { throw session.usageError("Missing --from") }
      guard let end = try tripEnd(of: start, session: session), end > start else {
        throw session.usageError("Missing when it ended, after it began", hint: "--to 9:30, or --for 25m")
      }
      let container = try session.openStore()
      let store = container.makeStore()
      var trip = TripEvent(
        id: container.makeID(), eventTypeId: try container.record.type(.trip).id, start: start, end: end,
        distanceMeters: try session.metres(length, of: "the trip"),
        route: try ["--start", "--end"].compactMap { try place($0, store: store, session: session) },
        timeZone: session.local.zoneName)
      if trip.route.isEmpty, let only = try place("--start", store: store, session: session) {
        trip.event.locationLatitude = only.latitude
        trip.event.locationLongitude = only.longitude
      }
      try apply(session, to: &trip, store: store)
      trip.event = try container.record.completed(trip.event)
      try container.record.perform("add trip \(ShortID.of(trip.event.id))", [.event(trip.event)])
      return show([trip.event], session: session)
    },
    Command(
      path: ["trip", "edit"], arguments: "<id>", summary: "Change a trip; only what is named changes.", group: .drive,
      examples: ["trip edit @1 --to 9:30", "trip edit @1 --category private"],
      options: [
        OptionSpec("--from", "--at", value: "time", help: "when it began"),
        OptionSpec("--to", value: "time", help: "when it ended"),
        OptionSpec("--for", value: "duration", help: "how long it took"),
        OptionSpec("--distance", value: "length", help: "how long the way was"),
        OptionSpec("--clear", value: "field", help: "note, vehicle or category; may be given again"),
      ] + kindOptions
    ) { session in
      let (container, store, old) = try one(session)
      var trip = old
      if let date = try session.date(option: "--from") { trip.event.timestamp = date }
      if let end = try tripEnd(of: trip.start, session: session) { trip.event.endDate = end }
      guard trip.end > trip.start else { throw session.usageError("It would end before it begins") }
      if let text = session.arguments.value("--distance") { trip.distance = try session.metres(text, of: "--distance") }
      for field in session.arguments.all("--clear") {
        switch field {
        case "note", "notes": trip.event.notes = nil
        case "vehicle": trip.set(nil)
        case "category":
          for key in ["category", "rule", "business_distance"] { trip.event.properties[key] = nil }
        default: throw session.usageError("There is no '\(field)' to clear", hint: "note, vehicle or category.")
        }
      }
      try apply(session, to: &trip, store: store)
      guard trip != old else { throw session.usageError("Nothing to change was named") }
      trip.measure()
      try container.record.perform(
        "edit trip \(ShortID.of(old.event.id))", [.event(trip.event)], before: [.event(old.event)])
      return show([trip.event], session: session)
    },
    Command(
      path: ["trip", "split"], arguments: "<id> <time>",
      summary: "Make two trips of one, parted at a moment on the way.", group: .drive,
      examples: ["trip split @1 9:10"]
    ) { session in
      let words = try session.positionals(2...2, missing: "the id and when")
      let container = try session.openStore()
      let trip = try Lookup(store: container.makeStore()).trip(words[0])
      let date = try TimePhrase.date(words[1], now: session.now, in: session.local)
      let fixes = try fixes(of: trip, storeDirectory: session.storeDirectory)
      let (first, second) = try told(session) { () throws(TripEvent.EditError) in
        try trip.split(at: date, id: container.makeID(), fixes: fixes)
      }
      try container.record.perform(
        "split trip \(ShortID.of(trip.event.id))", [.event(first.event), .event(second.event)],
        before: [.event(trip.event)])
      return show([first.event, second.event], session: session)
    },
    Command(
      path: ["trip", "merge"], arguments: "<id> <id> ...",
      summary: "Make one trip of several that follow one another.", group: .drive,
      examples: ["trip merge @2 @1"]
    ) { session in
      guard session.arguments.positionals.count >= 2 else { throw session.usageError("Missing the ids, two or more") }
      let container = try session.openStore()
      let lookup = Lookup(store: container.makeStore())
      let trips = try session.arguments.positionals.map { try lookup.trip($0) }.sorted { $0.start < $1.start }
      guard Set(trips.map(\.event.id)).count == trips.count else {
        throw session.usageError("A trip cannot be merged with itself")
      }
      let whole = try told(session) { () throws(TripEvent.EditError) in
        var whole = trips[0]
        for trip in trips.dropFirst() { whole = try whole.merged(with: trip) }
        return whole
      }
      try container.record.perform(
        "merge \(trips.count) trips into \(ShortID.of(whole.event.id))", [.event(whole.event)],
        before: trips.map { .event($0.event) })
      return show([whole.event], session: session)
    },
    Command(
      path: ["trip", "rm"], arguments: "<id> ...", summary: "Delete trips, here and on every device.", group: .drive,
      examples: ["trip rm @1"]
    ) {
      session in
      guard !session.arguments.positionals.isEmpty else { throw session.usageError("Missing the id") }
      let container = try session.openStore()
      let lookup = Lookup(store: container.makeStore())
      let trips = try session.arguments.positionals.map { try lookup.trip($0) }
      try container.record.perform(
        "delete \(trips.count == 1 ? "trip \(ShortID.of(trips[0].event.id))" : "\(trips.count) trips")", [],
        before: trips.map { .event($0.event) })
      if session.console.isJSON {
        session.console.document("trendy.deleted/1", [("deleted", .array(trips.map { .string($0.event.id) }))])
      }
      for trip in trips { session.console.done("Deleted: \(TripText(trip.event, session: session).line)") }
      return .done
    },
    Command(
      path: ["trip", "classify"], arguments: "[<id> <category>]",
      summary: "Say what a trip was for; without one, ask the rules of all that no person said.", group: .drive,
      examples: ["trip classify", "trip classify @1 business"],
      options: [
        OptionSpec("--business", value: "length", help: "of a mixed trip, how much of it was business"),
        OptionSpec("--since", value: "time", help: "of the trips that the rules are asked of, not before"),
      ]
    ) { session in
      let words = session.arguments.positionals
      guard !words.isEmpty else { return try classifyAll(session) }
      let pair = try session.positionals(2...2, missing: "what it was for: business, private or mixed")
      let container = try session.openStore()
      let old = try Lookup(store: container.makeStore()).trip(pair[0])
      var trip = old
      trip.classify(
        try category(pair[1], session: session),
        businessMeters: try session.arguments.value("--business").map { try session.metres($0, of: "--business") })
      if trip != old {
        try container.record.perform(
          "classify trip \(ShortID.of(old.event.id))", [.event(trip.event)], before: [.event(old.event)])
      }
      return show([trip.event], session: session)
    },
  ]

  /// Trips that a rule decided on, or nobody yet: a person's word stands.
  private static func classifyAll(_ session: Session) throws -> ExitCode {
    let container = try session.openStore()
    let store = container.makeStore()
    let since = try session.date(option: "--since")
    var (before, after): ([Undoable], [Undoable]) = ([], [])
    for old in try store.trips(in: since.map { $0..<Date.distantFuture })
    where old.category == nil || old.rule != nil {
      guard let rule = try old.rule(in: store) else { continue }
      var trip = old
      trip.classify(rule.category, by: rule.name)
      guard trip != old else { continue }
      before.append(.event(old.event))
      after.append(.event(trip.event))
    }
    if !after.isEmpty { try container.record.perform("classify \(after.count) trips by rule", after, before: before) }
    if session.console.isJSON {
      session.console.document("trendy.classified/1", [("changed", .number(after.count))])
    }
    session.console.done(after.count == 1 ? "1 trip changed" : "\(after.count) trips changed")
    return .done
  }

  private static func one(_ session: Session) throws -> (AppContainer, any DataStoreProtocol, TripEvent) {
    let name = try session.positionals(1...1, missing: "the id")[0]
    let container = try session.openStore()
    let store = container.makeStore()
    return (container, store, try Lookup(store: store).trip(name))
  }

  static func category(_ word: String, session: Session) throws(CommandError) -> TripCategory {
    guard let category = TripCategory(rawValue: word.lowercased()) else {
      throw session.usageError("'\(word)' is nothing that a trip can be for", hint: "business, private or mixed.")
    }
    return category
  }

  private static func apply(_ session: Session, to trip: inout TripEvent, store: any DataStoreProtocol) throws {
    if let name = session.arguments.value("--vehicle") { trip.set(try Lookup(store: store).vehicle(name)) }
    if let note = session.arguments.value("--note") { trip.event.notes = note }
    let business = try session.arguments.value("--business").map { try session.metres($0, of: "--business") }
    if let word = session.arguments.value("--category") {
      trip.classify(try category(word, session: session), businessMeters: business)
    } else if let business {
      trip.classify(.mixed, businessMeters: business)
    }
  }

  private static func tripEnd(of start: Date, session: Session) throws(CommandError) -> Date? {
    if let text = session.arguments.value("--for") {
      guard let seconds = TimePhrase.seconds(text) else {
        throw session.usageError("'\(text)' is no duration", hint: "Durations look like 1h30m, 45m or 90s.")
      }
      return start.addingTimeInterval(seconds)
    }
    return try session.date(option: "--to")
  }

  private static func place(_ option: String, store: any DataStoreProtocol, session: Session) throws -> Coordinate? {
    guard let text = session.arguments.value(option) else { return nil }
    return try coordinate(text) ?? Lookup(store: store).place(text).coordinate
  }

  private static func told<Result>(
    _ session: Session, _ edit: () throws(TripEvent.EditError) -> Result
  ) throws(CommandError) -> Result {
    do {
      return try edit()
    } catch {
      let hint: String? =
        if case .outside(let start, let end) = error {
          "It was from \(session.local.rfc3339(start)) to \(session.local.rfc3339(end))."
        } else { nil }
      throw session.usageError("\(error)", hint: hint)
    }
  }

  /// The fixes of a trip where exactly one device's tracks have some.
  private static func fixes(of trip: TripEvent, storeDirectory: URL) throws -> [Location] {
    let folder = storeDirectory.appending(path: "tracks")
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    let log = try TrackLog(directory: folder)
    let found = try log.devices().compactMap { device -> [Location]? in
      var fixes: [Location] = []
      try log.forEach(device: device.name, after: trip.start.addingTimeInterval(-1), through: trip.end) { reading in
        if case .fix(let fix) = reading { fixes.append(fix) }
      }
      return fixes.count > 1 ? fixes : nil
    }
    return found.count == 1 ? found[0] : []
  }

  static func show(_ events: [Event], session: Session) -> ExitCode {
    let trips = events.map { TripText($0, session: session) }
    switch session.console.format {
    case .json:
      if trips.count == 1 {
        session.console.document("trendy.trip/1", [("trip", trips[0].json)])
      } else {
        session.console.document("trendy.trips/1", [("trips", .array(trips.map(\.json)))])
      }
    case .ndjson: for trip in trips { session.console.data("\(trip.json)") }
    case .plain: for trip in trips { session.console.row(trip.plain) }
    case .text: for trip in trips { session.console.done(trip.line) }
    }
    return .done
  }
}
