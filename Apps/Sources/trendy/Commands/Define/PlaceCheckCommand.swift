import AppContainer
import CommandSupport
import TrendyFoundation
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTrips

struct PlaceCheckCommand: Command {
  static let spec = CommandSpec(
    "place check",
    summary:
      "Check places for missing positions, open visits and deleted types; exit with status 1 if problems are found.",
    group: .define, examples: ["place check"])

  struct Answer {
    var devices: [Device]
    var places: [Place]
    var posts: RejectedPostsText
    var findings: [String]
  }

  /// Device that sends positions.
  struct Device {
    var name: String
    var lastFix: Date
    /// Mean number of positions per hour in the last day.
    var perHour: Int
  }

  struct Place {
    var place: Geofence
    var openVisits: [Event]
    /// Deleted event types of the place: `entry`, `exit` or both.
    var missingTypes: [String]
  }

  init(_ session: Session) {}

  func act(_ session: Session) throws -> Answer {
    let store = try session.openStore().makeStore()
    let geofences = try store.fetchAllGeofences()
    let types = Set(try store.fetchAllEventTypes().map(\.id))
    let visits = try store.fetchAllEvents().filter { $0.sourceType == .geofence && $0.endDate == nil }
    let devices = try devices(session)
    let posts = try RejectedPostsText(session)
    let places = geofences.map { Place($0, visits: visits, types: types) }
    var findings = posts.findings
    if devices.isEmpty, posts.entries.isEmpty {
      findings.append("no device has sent a position yet, so visits cannot be detected")
    }
    findings += devices.filter { $0.perHour == 0 }.map { "\($0.name) has sent no position for a day" }
    findings += places.flatMap(\.findings)
    let known = Set(geofences.map(\.id))
    let orphans = visits.filter { $0.geofenceId.map { !known.contains($0) } ?? true }
    if !orphans.isEmpty { findings.append("\(Quantity(orphans.count, "open visit")) at deleted places") }
    return Answer(devices: devices, places: places, posts: posts, findings: findings)
  }

  private func devices(_ session: Session) throws -> [Device] {
    let folder = session.storeDirectory.appending(path: "tracks")
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    let log = try TrackLog(directory: folder)
    let devices = try log.devices().filter {
      !Recording.isRecording(device: $0.name) && !DisplayOnlyTrack.isKept(device: $0.name)
    }
    return try devices.map { device in
      var count = 0
      try log.forEach(device: device.name, after: session.now.addingTimeInterval(-86_400), through: nil) { reading in
        if case .fix = reading { count += 1 }
      }
      return Device(name: device.name, lastFix: device.lastTime, perHour: (count + 23) / 24)
    }
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    let console = session.console
    if console.isJSON {
      console.document("trendy.place_check/1", answer.members(in: session.local))
    } else {
      for device in answer.devices { console.text(device.line(in: session.local)) }
      for place in answer.places { console.text(place.line(in: session.local)) }
      for finding in answer.findings { console.text("! \(finding)") }
      if let silence = answer.posts.silence { console.talk(silence) }
      if answer.findings.isEmpty { console.done("No problems found.") }
    }
    return answer.findings.isEmpty ? .done : .no
  }
}

extension PlaceCheckCommand.Answer {
  fileprivate func members(in local: LocalTime) -> [(String, JSONText)] {
    [
      ("devices", .array(devices.map { $0.json(in: local) })), ("places", .array(places.map(\.json))),
      ("left_out", .array(posts.entries.map(\.json))), ("findings", .array(findings.map { .string($0) })),
    ]
  }
}

extension PlaceCheckCommand.Device {
  fileprivate func line(in local: LocalTime) -> String {
    "\(name)  last position \(local.dayAndTime(lastFix))  \(perHour) positions/h in the last day"
  }

  fileprivate func json(in local: LocalTime) -> JSONText {
    .object([
      ("name", .string(name)), ("last_fix", .string(local.rfc3339(lastFix))), ("fixes_per_hour", .number(perHour)),
    ])
  }
}

extension PlaceCheckCommand.Place {
  /// Creates the report on one place. `visits` are the open visits at all places, `types` the ids of all event types.
  fileprivate init(_ place: Geofence, visits: [Event], types: Set<String>) {
    self.place = place
    // Select only entry events. Exit events have no end either, but are not open visits.
    openVisits = visits.filter { $0.geofenceId == place.id && $0.eventTypeId == place.eventTypeEntryId }
    missingTypes = [("entry", place.eventTypeEntryId), ("exit", place.eventTypeExitId)]
      .filter { $0.1.map { !types.contains($0) } ?? false }.map(\.0)
  }

  fileprivate var findings: [String] {
    var findings = missingTypes.map { "\(place.name): the event type for \($0) was deleted" }
    if openVisits.count > 1 { findings.append("\(place.name): \(openVisits.count) visits are open at the same time") }
    if place.isActive, place.eventTypeEntryId == nil, place.eventTypeExitId == nil {
      findings.append("\(place.name): records neither entries nor exits")
    }
    return findings
  }

  fileprivate func line(in local: LocalTime) -> String {
    ([place.name] + (place.isActive ? [] : ["inactive"])
      + openVisits.map { "visit open since \(local.dayAndTime($0.timestamp))" }).joined(separator: "  ")
  }

  fileprivate var json: JSONText {
    .object([
      ("id", .string(place.id)), ("name", .string(place.name)), ("is_active", .bool(place.isActive)),
      ("open_visits", .array(openVisits.map { .string($0.id) })),
      ("missing_types", .array(missingTypes.map { .string($0) })),
    ])
  }
}
