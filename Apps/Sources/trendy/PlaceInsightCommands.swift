import AppContainer
import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyInterchange
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTrips

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Command {
  static let placeInsightCommands: [Command] = [
    Command(
      path: ["place", "check"], arguments: "",
      summary: "Whether places can work: fixes that come in, open visits, types that are gone; exit 1 with a finding.",
      group: .define,
      examples: ["place check"]
    ) { session in
      let store = try session.openStore().makeStore()
      let places = try store.fetchAllGeofences()
      let types = Set(try store.fetchAllEventTypes().map(\.id))
      let visits = try store.fetchAllEvents().filter { $0.sourceType == .geofence && $0.endDate == nil }
      let devices = try devices(storeDirectory: session.storeDirectory, now: session.now)
      let posts = try LeftOutPosts(session)
      var findings = posts.findings
      if devices.isEmpty, posts.entries.isEmpty {
        findings.append("no device has sent a fix yet; nothing can be told of coming and going")
      }
      for device in devices where device.perHour == 0 {
        findings.append("\(device.name) has sent nothing for a day")
      }
      var rows: [(place: Geofence, open: [Event], missing: [String])] = []
      for place in places {
        // An exit without a visit is whole in itself.
        let open = visits.filter { $0.geofenceId == place.id && $0.eventTypeId == place.eventTypeEntryId }
        let missing = [("entry", place.eventTypeEntryId), ("exit", place.eventTypeExitId)]
          .filter { $0.1.map { !types.contains($0) } ?? false }.map(\.0)
        rows.append((place, open, missing))
        for end in missing { findings.append("\(place.name): the type that its \(end) records is gone") }
        if open.count > 1 { findings.append("\(place.name): \(open.count) visits are open at once") }
        if place.isActive, place.eventTypeEntryId == nil, place.eventTypeExitId == nil {
          findings.append("\(place.name) records neither entries nor exits")
        }
      }
      let known = Set(places.map(\.id))
      let orphans = visits.filter { $0.geofenceId.map { !known.contains($0) } ?? true }
      if !orphans.isEmpty { findings.append("\(orphans.count) open visits are of places that are gone") }
      guard session.console.isJSON else {
        for device in devices {
          session.console.text(
            "\(device.name)  last fix \(session.local.dayAndTime(device.last))  \(device.perHour) fixes/h in the last day"
          )
        }
        for row in rows {
          session.console.text(
            ([row.place.name] + (row.place.isActive ? [] : ["inactive"])
              + row.open.map { "visit open since \(session.local.dayAndTime($0.timestamp))" }).joined(separator: "  "))
        }
        for finding in findings { session.console.text("! \(finding)") }
        if let silence = posts.silence { session.console.talk(silence) }
        if findings.isEmpty { session.console.done("Nothing is amiss.") }
        return findings.isEmpty ? .done : .no
      }
      session.console.document(
        "trendy.place_check/1",
        [
          (
            "devices",
            .array(
              devices.map {
                .object([
                  ("name", .string($0.name)), ("last_fix", .string(session.local.rfc3339($0.last))),
                  ("fixes_per_hour", .number($0.perHour)),
                ])
              })
          ),
          (
            "places",
            .array(
              rows.map { row in
                .object([
                  ("id", .string(row.place.id)), ("name", .string(row.place.name)),
                  ("is_active", .bool(row.place.isActive)),
                  ("open_visits", .array(row.open.map { .string($0.id) })),
                  ("missing_types", .array(row.missing.map { .string($0) })),
                ])
              })
          ), ("left_out", .array(posts.entries.map(\.json))), ("findings", .array(findings.map { .string($0) })),
        ])
      return findings.isEmpty ? .done : .no
    },
    Command(
      path: ["place", "simulate"], arguments: "<name> [<file>]",
      summary: "What a track, or a straight way through a place, would fire there, and why; nothing is recorded.",
      group: .define,
      examples: ["place simulate Home", "place simulate Home drive.gpx"],
      options: [
        OptionSpec("--speed", value: "m/s", help: "of the straight way (1.4)"),
        OptionSpec("--every", value: "seconds", help: "between its fixes (10)"),
        OptionSpec("--accuracy", value: "metres", help: "of its fixes (10)"),
        OptionSpec("--stay", value: "duration", help: "in the middle of the place (10m)"),
        OptionSpec("--beside", value: "metres", help: "past the middle at this distance (0)"),
        OptionSpec("--passing", help: "count a way straight through between two fixes"),
      ]
    ) { session in
      let words = try session.positionals(1...2, missing: "the name")
      let place = try Lookup(store: session.openStore().makeStore()).place(words[0])
      let fixes = try words.count == 2 ? track(words[1], session: session) : walk(through: place, session: session)
      var configuration = GeofenceMonitor.Configuration()
      configuration.countsPassing = session.arguments.has("--passing")
      var active = place
      active.isActive = true
      var monitor = GeofenceMonitor(geofences: [active], configuration: configuration)
      var steps: [(fix: Location, reading: GeofenceReading?, effects: [GeofenceMonitor.Effect])] = []
      for fix in fixes.sorted(by: { $0.timestamp < $1.timestamp }) {
        steps.append((fix, monitor.readings(of: fix).first, monitor.onLocation(fix)))
      }
      // The phone lies still after the last.
      let end = (steps.last?.fix.timestamp ?? session.now).addingTimeInterval(configuration.silentEntrySeconds)
      let late = monitor.onTick(at: end)
      if session.console.isJSON {
        session.console.document(
          "trendy.place_simulation/1",
          [
            ("place", .string(place.name)), ("fixes", .number(fixes.count)),
            ("crossings", .array((steps.flatMap(\.effects) + late).map { json($0, session) })),
            (
              "readings",
              .array(
                steps.compactMap { step in
                  step.reading.map {
                    .object([
                      ("at", .string(session.local.rfc3339(step.fix.timestamp))),
                      ("distance_m", .number(($0.meters * 10).rounded() / 10)), ("says", .string($0.says.rawValue)),
                      ("is_inside", .bool($0.isInside)),
                    ])
                  }
                })
            ),
          ])
        return .done
      }
      if !place.isActive { session.console.talk("\(place.name) is inactive; this is what it would do.") }
      var last: String?
      for step in steps {
        if let reading = step.reading, reading.words != last {
          session.console.text(
            "\(session.local.time(step.fix.timestamp)):\(seconds(step.fix.timestamp))  \(Int(reading.meters.rounded())) m  \(reading.words)"
          )
          last = reading.words
        }
        for effect in step.effects { session.console.text("  → \(line(effect, session))") }
      }
      for effect in late { session.console.text("  → \(line(effect, session)), as nothing more came") }
      let count = steps.reduce(late.count) { $0 + $1.effects.count }
      session.console.done("\(fixes.count) fixes, \(count == 1 ? "1 crossing" : "\(count) crossings")")
      return .done
    },
  ]

  private static func devices(
    storeDirectory: URL, now: Date
  ) throws -> [(name: String, last: Date, perHour: Int)] {
    let folder = storeDirectory.appending(path: "tracks")
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    let log = try TrackLog(directory: folder)
    return try log.devices().map { device in
      var count = 0
      try log.forEach(device: device.name, after: now.addingTimeInterval(-86_400), through: nil) { reading in
        if case .fix = reading { count += 1 }
      }
      return (device.name, device.lastTime, (count + 23) / 24)
    }
  }

  private static func track(_ path: String, session: Session) throws -> [Location] {
    guard FileManager.default.fileExists(atPath: path) else {
      throw CommandError("There is no file \(path)", exit: .notFound)
    }
    do {
      return try TrackFile(reading: [UInt8](Data(contentsOf: URL(filePath: path)))).locations
    } catch let error as InterchangeError {
      throw CommandError("\(path) cannot be read: \(error)", exit: .badData)
    }
  }

  /// From the west, to the middle, a stay there, and on to the east; from well outside to well outside.
  private static func walk(through place: Geofence, session: Session) throws(CommandError) -> [Location] {
    func number(_ option: String, _ usual: Double, _ range: ClosedRange<Double>) throws(CommandError) -> Double {
      guard let text = session.arguments.value(option) else { return usual }
      guard let number = Double(text), range.contains(number) else {
        throw session.usageError(
          "The value '\(text)' is invalid for '\(option)'", hint: "\(range.lowerBound) to \(range.upperBound).")
      }
      return number
    }
    let speed = try number("--speed", 1.4, 0.1...70)
    let every = try number("--every", 10, 1...3600)
    let accuracy = try number("--accuracy", 10, 0...10_000)
    let beside = try number("--beside", 0, -100_000...100_000)
    var stay = 600.0
    if let text = session.arguments.value("--stay") {
      guard let seconds = TimePhrase.seconds(text), (0...86_400).contains(seconds) else {
        throw session.usageError("'\(text)' is no duration", hint: "Durations look like 1h30m, 45m or 90s.")
      }
      stay = seconds
    }
    let reach = 2 * place.radius + 300
    let time = reach / speed
    return stride(from: 0.0, through: 2 * time + stay + 60, by: every).map { second in
      let east = second < time ? second * speed - reach : max(0, second - time - stay) * speed
      let degree = 111_320 * cos(place.latitude * .pi / 180)
      return Location(
        coordinate: Coordinate(
          latitude: min(90, max(-90, place.latitude + beside / 111_200)),
          longitude: (place.longitude + east / max(1, degree)).remainder(dividingBy: 360)),
        horizontalAccuracy: accuracy, timestamp: session.now.addingTimeInterval(second))
    }
  }

  private static func seconds(_ date: Date) -> String {
    let seconds = Int(date.timeIntervalSince1970) % 60
    return seconds < 10 ? "0\(seconds)" : "\(seconds)"
  }

  private static func line(_ effect: GeofenceMonitor.Effect, _ session: Session) -> String {
    switch effect {
    case .entered(_, let fix): "came in at \(session.local.time(fix.timestamp)):\(seconds(fix.timestamp))"
    case .exited(_, let fix): "left at \(session.local.time(fix.timestamp)):\(seconds(fix.timestamp))"
    }
  }

  private static func json(_ effect: GeofenceMonitor.Effect, _ session: Session) -> JSONText {
    switch effect {
    case .entered(_, let fix):
      .object([("kind", .string("enter")), ("at", .string(session.local.rfc3339(fix.timestamp)))])
    case .exited(_, let fix):
      .object([("kind", .string("exit")), ("at", .string(session.local.rfc3339(fix.timestamp)))])
    }
  }
}
