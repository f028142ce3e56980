import AppContainer
import CommandSupport
import TrendyAgent
import TrendyInterchange
import TrendyModels

/// `trendy import`
struct ImportCommand: Command {
  static let spec = CommandSpec(
    // Mostly the file stands where the format may, and a shell is to offer it.
    "import", .optional("format", .file), .one("file|-", .file, "the file"),
    summary: "Take in a recorded track: its fixes, the trips in it, and the visits to your places.", group: .data,
    examples: ["import drive.gpx", "import gpx drive.gpx --dry-run"],
    options: [OptionSpec("--dry-run", help: "say what would be recorded, and record nothing")])

  private let path: String
  private let expected: ImportFormat?
  private let isDryRun: Bool

  init(_ session: Session) throws {
    let words = session.arguments.positionals
    path = words[words.count - 1]
    isDryRun = session.arguments.has("--dry-run")
    guard words.count == 2 else {
      expected = nil
      return
    }
    let name = words[0].lowercased()
    expected = ImportFormat(rawValue: name)
    if expected == nil {
      throw session.usageError(
        "'\(name)' is no format that can be read",
        hint: "There are: \(ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
  }

  func act(_ session: Session) throws -> TrackImport {
    let container = try session.openStore()
    let bytes = try FileInput.bytes(of: path)
    // The content says what it is; a name that says otherwise is the wrong file, not another reading of it.
    if let expected, let found = ImportFormat.detect(bytes), found != expected {
      throw CommandError(
        "\(path) is \(found.name), not \(expected.name)",
        hint: "Nothing was imported. The format may be left out.", exit: .badData)
    }
    do {
      return try container.record.importTrack(bytes, isDryRun: isDryRun)
    } catch let error as InterchangeError {
      if case .unknownFormat = error {
        throw CommandError("\(path) cannot be read: \(error)", hint: "Nothing was imported.", exit: .badData)
      }
      throw CommandError(
        "\(path) cannot be read: \(error)", hint: "Nothing was imported. Get the file whole and try again.",
        exit: .badData)
    }
  }

  func show(_ answer: TrackImport, _ session: Session) throws -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendy.import/1", answer.members(isDryRun: isDryRun, in: session.local))
    } else {
      for line in answer.lines(isDryRun: isDryRun, in: session.local, session.units) { session.console.done(line) }
    }
    // Nothing to import is an answer that a person must not overlook.
    guard answer.tripCount.new + answer.tripCount.known > 0 else {
      let points = "the \(answer.file.points.count) points stay in one place"
      throw CommandError(
        "No trip was found: \(answer.file.timeRemark ?? points)",
        hint: answer.fixCount.new + answer.fixCount.known > 0
          ? "Its fixes are kept all the same." : "What the file holds is listed above; nothing was kept.",
        exit: .badData)
    }
    return .done
  }
}

// MARK: For people

extension TrackImport {
  fileprivate func lines(isDryRun: Bool, in local: LocalTime, _ units: Units) -> [String] {
    let verb = isDryRun ? "would be new" : "new"
    var lines = fileLines(units)
    if !isDryRun { lines.append("Fixes:  \(fixCount.new) new, \(fixCount.known) known") }
    lines.append("Trips:  \(tripCount.new) \(verb), \(tripCount.known) known")
    lines += trips.map { "  \(local.dayAndTime($0.timestamp, year: 0))  \($0.id)" }
    lines.append("Visits: \(visitCount.new) \(verb), \(visitCount.known) known")
    lines += visits.map { "  \(local.dayAndTime($0.timestamp, year: 0))  \($0.locationName ?? "")" }
    return lines
  }

  private func fileLines(_ units: Units) -> [String] {
    let length = units.distance(length, decimals: 2)
    var lines = [
      "\(file.format.name): \(Quantity(file.tracks.count, "track")), \(Quantity(file.pointCount, "point")), \(length) along them"
    ]
    if file.skippedPoints > 0 {
      lines.append("\(file.skippedPoints) points have no place on earth and are left out")
    }
    lines += file.problems.prefix(3).map { "Left out, \($0)" }
    if file.problems.count > 3 { lines.append("and \(file.problems.count - 3) more") }
    lines += (file.remarks + [file.timeRemark].compactMap(\.self)).map { "Note: \($0)" }
    return lines + refusals.prefix(3).map { "Left out: \($0)" }
  }
}

// MARK: For scripts

extension TrackImport {
  fileprivate func members(isDryRun: Bool, in local: LocalTime) -> [(String, JSONText)] {
    let fixes = JSONText.object([("new", .number(fixCount.new)), ("known", .number(fixCount.known))])
    return [
      ("format", .string(file.format.rawValue)), ("dry_run", .bool(isDryRun)), ("file", fileJSON(in: local)),
      ("fixes", isDryRun ? .null : fixes), ("refused", .array(refusals.map { .string($0) })),
      ("trips", tripCount.json(trips.map { Self.trip($0, in: local) })),
      ("visits", visitCount.json(visits.map { Self.visit($0, in: local) })),
    ]
  }

  private func fileJSON(in local: LocalTime) -> JSONText {
    .object([
      ("tracks", .number(file.tracks.count)), ("segments", .number(file.segments.count)),
      ("points", .number(file.pointCount)), ("points_with_time", .number(file.pointsWithTime)),
      ("points_skipped", .number(file.skippedPoints)), ("waypoints", .number(file.waypoints.count)),
      ("first", .string(file.firstTime.map { local.rfc3339($0) })),
      ("last", .string(file.lastTime.map { local.rfc3339($0) })),
      ("problems", .array(file.problems.map { .string("\($0)") })),
      ("length_m", .number((length * 10).rounded() / 10)), ("remark", .string(file.timeRemark)),
    ])
  }

  private static func trip(_ event: Event, in local: LocalTime) -> JSONText {
    let end = endCoordinate(of: event)
    return .object([
      ("id", .string(event.id)), ("start", .string(local.rfc3339(event.timestamp))),
      ("end", .string(event.endDate.map { local.rfc3339($0) })),
      ("distance_m", .number(event.properties["distance"]?.doubleValue)),
      ("start_latitude", .number(event.locationLatitude)), ("start_longitude", .number(event.locationLongitude)),
      ("end_latitude", .number(end?.latitude)), ("end_longitude", .number(end?.longitude)),
    ])
  }

  private static func visit(_ event: Event, in local: LocalTime) -> JSONText {
    .object([
      ("id", .string(event.id)), ("place", .string(event.locationName)),
      ("from", .string(local.rfc3339(event.timestamp))), ("to", .string(event.endDate.map { local.rfc3339($0) })),
    ])
  }
}

extension TrackImport.Count {
  fileprivate func json(_ found: [JSONText]) -> JSONText {
    .object([("new", .number(new)), ("known", .number(known)), ("found", .array(found))])
  }
}
