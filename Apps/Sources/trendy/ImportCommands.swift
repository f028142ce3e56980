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

extension Command {
  static let importCommands: [Command] = [
    Command(
      path: ["import"], arguments: "[<format>] <file>|-",
      summary: "Take in a recorded track: its fixes, the trips in it, and the visits to your places.", group: .data,
      examples: ["import drive.gpx", "import gpx drive.gpx --dry-run"],
      options: [OptionSpec("--dry-run", help: "say what would be recorded, and record nothing")]
    ) { session in
      var words = try session.positionals(1...2, missing: "the file")
      var expected: ImportFormat?
      if words.count == 2 {
        let name = words.removeFirst().lowercased()
        expected = ImportFormat(rawValue: name)
        if expected == nil {
          throw session.usageError(
            "'\(name)' is no format that can be read",
            hint: "There are: \(ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
      }
      let isDryRun = session.arguments.has("--dry-run")
      let container = try session.openStore()
      let result: TrackImport
      do {
        let bytes = try FileInput.bytes(of: words[0])
        // The content says what it is; a name that says otherwise is the wrong file, not another reading of it.
        if let expected, let found = ImportFormat.detect(bytes), found != expected {
          throw CommandError(
            "\(words[0]) is \(found.name), not \(expected.name)",
            hint: "Nothing was imported. The format may be left out.",
            exit: .badData)
        }
        result = try container.record.importTrack(bytes, isDryRun: isDryRun)
      } catch let error as InterchangeError {
        throw CommandError(
          "\(words[0]) cannot be read: \(error)", hint: "Nothing was imported. Get the file whole and try again.",
          exit: .badData)
      }
      show(result, isDryRun: isDryRun, session: session)
      // Nothing to import is an answer that a person must not overlook.
      guard result.tripCount.new + result.tripCount.known > 0 else {
        throw CommandError(
          "No trip was found: \(result.file.timeRemark ?? "the \(result.file.points.count) points stay in one place")",
          hint: result.fixCount.new + result.fixCount.known > 0
            ? "Its fixes are kept all the same." : "What the file holds is listed above; nothing was kept.",
          exit: .badData)
      }
      return .done
    }
  ]

  private static func show(_ result: TrackImport, isDryRun: Bool, session: Session) {
    let file = result.file
    if session.console.isJSON {
      session.console.document(
        "trendy.import/1",
        [
          ("format", .string(file.format.rawValue)), ("dry_run", .bool(isDryRun)),
          (
            "file",
            .object([
              ("tracks", .number(file.tracks.count)), ("segments", .number(file.segments.count)),
              ("points", .number(file.pointCount)), ("points_with_time", .number(file.pointsWithTime)),
              ("points_skipped", .number(file.skippedPoints)), ("waypoints", .number(file.waypoints.count)),
              ("first", .string(file.firstTime.map { session.local.rfc3339($0) })),
              ("last", .string(file.lastTime.map { session.local.rfc3339($0) })),
              ("problems", .array(file.problems.map { .string("\($0)") })),
              ("length_m", .number((result.length * 10).rounded() / 10)), ("remark", .string(file.timeRemark)),
            ])
          ),
          (
            "fixes",
            isDryRun
              ? .null
              : .object([("new", .number(result.fixCount.new)), ("known", .number(result.fixCount.known))])
          ), ("refused", .array(result.refusals.map { .string($0) })),
          ("trips", json(result.tripCount, result.trips.map { trip($0, session: session) })),
          ("visits", json(result.visitCount, result.visits.map { visit($0, session: session) })),
        ])
      return
    }
    let kilometres = (result.length / 10).rounded() / 100
    session.console.done(
      "\(file.format.name): \(file.tracks.count) tracks, \(file.pointCount) points, \(kilometres) km along them"
    )
    if file.skippedPoints > 0 {
      session.console.done("\(file.skippedPoints) points have no place on earth and are left out")
    }
    for problem in file.problems.prefix(3) { session.console.done("Left out, \(problem)") }
    if file.problems.count > 3 { session.console.done("and \(file.problems.count - 3) more") }
    for remark in file.remarks + [file.timeRemark].compactMap(\.self) { session.console.done("Note: \(remark)") }
    for refusal in result.refusals.prefix(3) { session.console.done("Left out: \(refusal)") }
    if !isDryRun {
      session.console.done("Fixes:  \(result.fixCount.new) new, \(result.fixCount.known) known")
    }
    let verb = isDryRun ? "would be new" : "new"
    session.console.done("Trips:  \(result.tripCount.new) \(verb), \(result.tripCount.known) known")
    for event in result.trips {
      session.console.done("  \(session.local.dayAndTime(event.timestamp, year: 0))  \(event.id)")
    }
    session.console.done("Visits: \(result.visitCount.new) \(verb), \(result.visitCount.known) known")
    for event in result.visits {
      session.console.done("  \(session.local.dayAndTime(event.timestamp, year: 0))  \(event.locationName ?? "")")
    }
  }

  private static func json(_ count: TrackImport.Count, _ found: [JSONText]) -> JSONText {
    .object([("new", .number(count.new)), ("known", .number(count.known)), ("found", .array(found))])
  }

  private static func trip(_ event: Event, session: Session) -> JSONText {
    let end = TrackImport.endCoordinate(of: event)
    return .object([
      ("id", .string(event.id)), ("start", .string(session.local.rfc3339(event.timestamp))),
      ("end", .string(event.endDate.map { session.local.rfc3339($0) })),
      ("distance_m", .number(event.properties["distance"]?.doubleValue)),
      ("start_latitude", .number(event.locationLatitude)), ("start_longitude", .number(event.locationLongitude)),
      ("end_latitude", .number(end?.latitude)), ("end_longitude", .number(end?.longitude)),
    ])
  }

  private static func visit(_ event: Event, session: Session) -> JSONText {
    .object([
      ("id", .string(event.id)), ("place", .string(event.locationName)),
      ("from", .string(session.local.rfc3339(event.timestamp))),
      ("to", .string(event.endDate.map { session.local.rfc3339($0) })),
    ])
  }
}
