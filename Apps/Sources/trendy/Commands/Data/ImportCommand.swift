import AppContainer
import CommandSupport
import TrendyAgent
import TrendyArchive
import TrendyFoundation
import TrendyInterchange
import TrendyModels
import TrendyPersistence

struct ImportCommand: Command {
  static let spec = CommandSpec(
    // Users usually omit the format, so the first argument is completed as a file name.
    "import", .optional("format", .file), .one("file|-", .file, "the file"),
    summary: "Import events from another program, or a track with its trips and visits.", group: .data,
    examples: [
      "import drive.gpx", "import gpx drive.gpx --dry-run", "import events.csv --map start=Day --map 'gym=Workout'",
      "import trendy.ndjson", "import export.zip --since 2026-01-01",
    ],
    options: [
      OptionSpec("--dry-run", help: "show what would be imported, without importing"),
      OptionSpec("--since", value: "time", kind: .time, help: "only events since this time"),
      OptionSpec("--until", value: "time", kind: .time, help: "only events until this time; a day counts in full"),
      OptionSpec(
        "--type", value: "type", kind: .eventType, repetition: .allCount,
        help: "only events of this type; for a table without types, the type of all rows"),
      OptionSpec(
        "--map", value: "from=to", kind: .text, repetition: .allCount,
        help: "map a type to one of yours (gym=Workout) or a table column (start=Day)"),
      OptionSpec(
        "--zone", value: "zone", kind: .text,
        help: "time zone for times that specify none: Europe/Paris (default: local)"),
      OptionSpec(
        "--date-format", value: "order", kind: .oneOf(["dmy", "mdy"]),
        help: "order of day and month in a table: dmy, mdy"),
      OptionSpec(
        "--decimal", value: "sign", kind: .oneOf(DecimalSign.allCases.map(\.rawValue)),
        help: "decimal separator in a table: point, comma (default: detected)"),
      OptionSpec(
        "--duration-unit", value: "unit", kind: .oneOf(DurationUnit.allCases.map(\.rawValue)),
        help: "unit for durations that specify none: ms, s, min, h, d"),
      OptionSpec(
        "--done", value: "values", kind: .text,
        help: "in a table with a column per habit, values that mean done: x,yes,1"),
      OptionSpec("--other-zone", help: "import again with another time zone, which duplicates entries"),
    ])

  enum Answer {
    case track(TrackImport)
    case records(InterchangeFormat, ImportReport)
  }

  /// Archive and folder formats, as examples in a hint.
  private static let examples = "apple-health, loop or zip"

  private let path: String
  /// Name of the format given by the user, or `nil` to detect it.
  private let expected: String?
  private let request: ImportRequest

  init(_ session: Session) throws {
    let words = session.arguments.positionals
    path = words[words.count - 1]
    expected = words.count == 2 ? words[0].lowercased() : nil
    if let expected, InterchangeFormat.named(expected)?.reads.isEmpty != false {
      throw session.usageError(
        "Unknown import format '\(expected)'",
        hint: "Supported formats: \(InterchangeFormat.readable.map(\.word).joined(separator: ", ")).")
    }
    request = try Self.request(session, path)
  }

  private static func request(_ session: Session, _ path: String) throws -> ImportRequest {
    let arguments = session.arguments
    let local = session.local
    var zone = ZoneClock(name: local.zoneName) { local.components(of: $0).secondsFromGMT }
    let isZoneChosen = arguments.value("--zone") != nil
    if let name = arguments.value("--zone") {
      guard let named = ZoneClock(named: name) else {
        throw session.usageError("Unknown time zone '\(name)'", hint: "Use a name such as Europe/Paris.")
      }
      zone = named
    }
    var options = ImportOptions(zone: zone, range: try session.range(), now: session.now)
    options.fileName = path
    options.isDayFirst = arguments.value("--date-format").map { $0 == "dmy" }
    options.isZoneChosen = isZoneChosen
    options.decimalSign = arguments.value("--decimal").flatMap(DecimalSign.init(rawValue:))
    options.durationUnit = arguments.value("--duration-unit").flatMap(DurationUnit.init(rawValue:))
    options.doneValues = arguments.value("--done").map { values in
      Set(values.split(separator: ",").map { $0.lowercased() })
    }
    let types = arguments.all("--type")
    if types.count == 1 { options.typeName = types[0] }
    var map: [String: String] = [:]
    for word in arguments.all("--map") {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw session.usageError(
          "'\(word)' is not in the form FROM=TO", hint: "Use a mapping such as --map gym=Workout.")
      }
      if ImportOptions.columnNames.contains(parts[0]) {
        options.columns[parts[0]] = parts[1]
      } else {
        map[parts[0].lowercased()] = parts[1]
      }
    }
    // The fingerprint consists of the file and all options. Repeating the same command resumes an interrupted import.
    let fingerprint = [path == "-" ? path : URL(filePath: path).standardizedFileURL.path] + session.words.sorted()
    var request = ImportRequest(source: path, options: options, fingerprint: fingerprint.joined(separator: "\n"))
    request.isDryRun = arguments.has("--dry-run")
    request.acceptsOtherZone = arguments.has("--other-zone")
    request.typeMap = map
    request.onlyTypes = Set(types.map { $0.lowercased() })
    request.onProgress = { _ in try Interruption.check() }
    return request
  }

  func act(_ session: Session) throws -> Answer {
    let progress = ProgressLine(session.console)
    defer { progress.end() }
    do {
      let input = try FileInput.source(at: path, progress)
      switch input {
      case .stream(let stream):
        let found = try InterchangeFormat.detect(stream, columns: request.options.columns)
        return try takeIn(input, found, session)
      case .files(let files):
        guard let found = try InterchangeFormat.detect(in: files) else {
          throw CommandError(
            "\(path) contains nothing that can be imported: this looks like \(files.description)",
            hint: "Nothing was imported. How to get a file: trendy help import FORMAT, such as \(Self.examples).",
            exit: .badData)
        }
        return try takeIn(input, found, session)
      }
    } catch let error as CommandError where error.exit == .interrupted && !request.isDryRun {
      throw CommandError.interrupted(
        "Entries imported so far are kept (trendy import list). Repeat the command to continue.")
    } catch let error as ArchiveError {
      if case .system = error { throw CommandError("\(error)", exit: .readWrite) }
      throw CommandError("\(path): \(error)", hint: "Get a complete copy of the file and try again.", exit: .badData)
    } catch let error as ImportFileError {
      switch error {
      case .missing: throw CommandError("\(error)", exit: .badData)
      case .notPermitted:
        throw CommandError("\(error)", hint: "Check the permissions of the folder.", exit: .cannotCreate)
      case .notSpooled:
        throw CommandError(
          "\(error)", hint: "An archive from a pipe is stored in this folder first. To use another folder, set TMPDIR.",
          exit: .cannotCreate)
      }
    } catch let error as ImportedInOtherZone {
      throw CommandError(
        "\(path): \(error)",
        hint: "Nothing was imported. Use --zone \(error.earlier) again. To change the zone, first undo the import: "
          + "trendy import undo. To import it twice, add --other-zone.", exit: .refused)
    } catch let error as InterchangeError {
      throw failure(error)
    }
  }

  private func takeIn(_ input: ImportInput, _ detected: InterchangeFormat?, _ session: Session) throws -> Answer {
    var (found, request) = (detected, self.request)
    // The layout of another program may be recognized by mistake.
    if expected == "csv", case .stream(let stream) = input, let plain = try found?.plainTable(of: stream) {
      found = plain
      request.options.isPlainTable = true
    }
    if let expected, let found, found.word != expected {
      // The user has probably named the wrong file.
      throw CommandError(
        "\(path) is \(found.name), not \(InterchangeFormat.named(expected)?.name ?? expected)",
        hint: "Nothing was imported. Omit the format to detect it automatically.", exit: .badData)
    }
    // Importing a complete export can create the store.
    let beginsStore = found?.reads == .everything && !DeviceRecord.exists(at: session.storeDirectory)
    let container =
      try beginsStore && !request.isDryRun
      ? AppContainer(storeDirectory: session.storeDirectory) : session.openStore()
    // Count the imported events per day now, while the user is waiting anyway. Errors are ignored: the next command
    // that needs the counts then counts the events.
    func countingAhead(_ report: ImportReport) -> ImportReport {
      if !request.isDryRun, report.newCount > 0 {
        try? session.counts(of: container.makeLocalStore()).countAhead()
      }
      return report
    }
    let isReadInSteps = if case .files = input { true } else { found?.isReadAsRecords == true }
    if isReadInSteps { Interruption.wait() }
    switch (input, found) {
    case (.files(let files), let found?):
      return .records(found, countingAhead(try container.record.importRecords(files, as: found, request)))
    case (.stream(let stream), let found?) where found.isReadAsRecords:
      return .records(found, countingAhead(try container.record.importRecords(stream, as: found, request)))
    case (.stream(let stream), _):
      return .track(try container.record.importTrack(stream.rest(), request))
    case (.files, nil): preconditionFailure("a folder of unknown format was opened")
    }
  }

  private func failure(_ error: InterchangeError) -> CommandError {
    switch error {
    case .ambiguousDates:
      CommandError("\(path): \(error)", hint: "Nothing was imported. Set --date-format dmy or mdy.", exit: .badData)
    case .undecided(let question, _):
      CommandError("\(path): \(error)", hint: "Nothing was imported. \(question.hint)", exit: .badData)
    case .noSuchColumn: CommandError("\(path): \(error)", hint: "Nothing was imported.", exit: .badData)
    case .notTheData: CommandError("\(path): \(error)", hint: "Nothing was imported.", exit: .badData)
    // A file that is not an intact backup is reported as having an unknown format.
    case .unknownFormat where path != "-" && (try? StoreBackup.check(path)) != nil:
      CommandError(
        "\(path) is a backup of a store",
        hint:
          "Nothing was imported. To restore it, optionally to another folder with --store: trendy restore \(ShellWords.quoted(path))",
        exit: .badData)
    case .unknownColumns:
      CommandError(
        "Cannot import \(path): \(error)",
        hint: "Nothing was imported. Specify the columns: --map type=COLUMN --map start=COLUMN", exit: .badData)
    case .unknownFormat(let seen):
      CommandError(
        "Cannot import \(path): this looks like \(seen)",
        hint:
          "Nothing was imported. Supported formats: \(InterchangeFormat.readable.map(\.word).joined(separator: ", ")).",
        exit: .badData)
    default:
      CommandError(
        "Cannot import \(path): \(error)",
        hint: "Entries before the error may have been imported: trendy import list. Get a complete copy and try again.",
        exit: .badData)
    }
  }

  func show(_ answer: Answer, _ session: Session) throws -> ExitCode {
    switch answer {
    case .track(let track): return try show(track, session)
    case .records(let format, let report): return try show(format, report, session)
    }
  }

  private func show(_ answer: TrackImport, _ session: Session) throws -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendy.import/1", answer.members(isDryRun: request.isDryRun, in: session.local))
    } else {
      for line in answer.lines(isDryRun: request.isDryRun, in: session.local, session.units) {
        session.console.done(line)
      }
      if !request.isDryRun, answer.tripCount.new + answer.visitCount.new + (answer.workouts?.newCount ?? 0) > 0 {
        session.console.done("Undo with: trendy undo")
      }
    }
    if answer.tripCount.new + answer.tripCount.known == 0, answer.workouts == nil {
      let reason =
        "no trip detected: \(answer.file.timeRemark ?? "the \(answer.file.points.count) points stay in one place")"
      guard answer.fixCount.new + answer.fixCount.known + answer.visitCount.new + answer.visitCount.known > 0 else {
        throw CommandError("\(path): \(reason)", hint: "Nothing was imported.", exit: .badData)
      }
      session.console.talk("warning: \(reason)", level: .warning)
    }
    return .done
  }

  private func show(_ format: InterchangeFormat, _ report: ImportReport, _ session: Session) throws -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendy.import/1", report.members(format, isDryRun: request.isDryRun, in: session.local))
    } else {
      for line in report.lines(format, isDryRun: request.isDryRun, in: session.local) { session.console.done(line) }
    }
    guard report.isAnything else {
      throw CommandError(
        "Nothing was imported from the file",
        hint: report.problems.first.map { "\($0)" } ?? "It contains nothing that matches the options.", exit: .badData)
    }
    return .done
  }
}

extension ImportQuestion {
  fileprivate var hint: String {
    switch self {
    case .decimal: "Set --decimal point or comma."
    case .durationUnit: "Set --duration-unit s, min or h."
    case .type:
      "To import each row as an event of one type, use --type NAME; for a habit per column, --done VALUES; "
        + "to specify columns, --map type=COLUMN --map start=COLUMN."
    case .zone: "Set --zone to the zone of these times, such as Europe/Paris."
    }
  }
}

extension ImportProblem {
  /// Returns one line for each of the first five problems and a line with the number of other problems.
  fileprivate static func lines(_ problems: [ImportProblem], of count: Int) -> [String] {
    let shown = problems.prefix(5)
    return shown.map { "  \($0)" } + (count > shown.count ? ["  and \(count - shown.count) more"] : [])
  }
}

// MARK: Imported events

extension ImportReport {
  fileprivate func lines(_ format: InterchangeFormat, isDryRun: Bool, in local: LocalTime) -> [String] {
    let verb = isDryRun ? "would be new" : "new"
    var lines: [String] = []
    let kinds = MutationEntityType.allCases.compactMap { kind in
      new[kind].map { "\(Quantity($0, kind.words, kind == .propertyDefinition ? "properties" : kind.words + "s"))" }
    }
    if isContinued { lines.append("Continuing an interrupted import.") }
    if let otherZone {
      lines.append(
        "Note: this file was imported before with the time zone \(otherZone); another zone duplicates its entries"
          + (isDryRun ? " (requires --other-zone)" : ""))
    }
    let what = kinds.isEmpty ? "nothing" : kinds.joined(separator: ", ")
    lines.append("\(format.name): \(what) \(verb), \(Quantity(known, "duplicate"))")
    if newReadings + knownReadings > 0 {
      lines.append("Fixes: \(newReadings) \(verb), \(Quantity(knownReadings, "duplicate"))")
    }
    if let first, let last {
      let events = types.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5).map { "\($0.key) \($0.value)" }
      lines.append(
        "Events: \(events.joined(separator: ", "))\(types.count > 5 ? ", and \(types.count - 5) more types" : ""); "
          + "\(local.day(first, year: 0)) to \(local.day(last, year: 0))")
    }
    if !newTypes.isEmpty {
      lines.append("New types: \(newTypes.prefix(10).joined(separator: ", "))\(newTypes.count > 10 ? ", …" : "")")
    }
    lines += skippedLines
    if found > 0 { lines.append("Trips and visits detected: \(found)") }
    if badCount > 0 {
      lines.append("Warning: \(Quantity(badCount, "part")) of the file could not be imported:")
      lines += ImportProblem.lines(problems, of: badCount)
    }
    if let id, newCount + found > 0 { lines.append("To undo the import: trendy import undo \(id.prefix(13))") }
    return lines
  }

  /// Skipped items: one line for each of the six most frequent reasons and a total for the other reasons.
  private var skippedLines: [String] {
    let sorted = skipped.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let rest = sorted.dropFirst(6)
    return sorted.prefix(6).map { "Skipped: \($0.value) × \($0.key)" }
      + (rest.isEmpty
        ? []
        : ["Skipped: \(rest.reduce(0) { $0 + $1.value }) of \(Quantity(rest.count, "other kind")) (listed by --json)"])
  }

  fileprivate func members(
    _ format: InterchangeFormat, isDryRun: Bool, in local: LocalTime
  ) -> [(String, JSONText)] {
    [
      ("format", .string(format.word)), ("dry_run", .bool(isDryRun)), ("id", .string(id)),
      ("continued", .bool(isContinued)), ("other_zone", .string(otherZone)),
      (
        "new",
        .object(MutationEntityType.allCases.compactMap { kind in new[kind].map { (kind.rawValue, .number($0)) } })
      ),
      ("known", .number(known)),
      ("fixes", .object([("new", .number(newReadings)), ("known", .number(knownReadings))])),
      ("found", .number(found)),
      ("skipped", .object(skipped.sorted { $0.key < $1.key }.map { ($0.key, .number($0.value)) })),
      ("bad", .number(badCount)), ("problems", .array(problems.map { .string("\($0)") })),
      ("types", .object(types.sorted { $0.key < $1.key }.map { ($0.key, .number($0.value)) })),
      ("new_types", .array(newTypes.map { .string($0) })),
      ("first", .string(first.map { local.rfc3339($0) })), ("last", .string(last.map { local.rfc3339($0) })),
    ]
  }
}

// MARK: Imported tracks as text

extension TrackImport {
  fileprivate func lines(isDryRun: Bool, in local: LocalTime, _ units: Units) -> [String] {
    let verb = isDryRun ? "would be new" : "new"
    var lines = fileLines(units)
    lines.append("Fixes: \(fixCount.new) \(verb), \(Quantity(fixCount.known, "duplicate"))")
    if let workouts {
      lines.append("Workouts: \(workouts.new[.event] ?? 0) \(verb), \(Quantity(workouts.known, "duplicate"))")
      lines += workouts.examples.map {
        "  \(local.dayAndTime($0.event.timestamp, year: 0))  \($0.event.properties["activity"]?.stringValue ?? $0.typeName)"
      }
    }
    lines.append("Trips: \(tripCount.new) \(verb), \(Quantity(tripCount.known, "duplicate"))")
    lines += trips.map { "  \(local.dayAndTime($0.timestamp, year: 0))  \($0.id)" }
    let gone = isDryRun ? 0 : tripCount.new + tripCount.known - trips.count
    if gone > 0 {
      lines.append("  deleted or undone after an earlier import: \(gone) (see trendy redo and trendy list --deleted)")
    }
    lines.append("Visits: \(visitCount.new) \(verb), \(Quantity(visitCount.known, "duplicate"))")
    lines += visits.map { "  \(local.dayAndTime($0.timestamp, year: 0))  \($0.locationName ?? "")" }
    return lines
  }

  private func fileLines(_ units: Units) -> [String] {
    let length = units.distance(length, decimals: 2)
    var lines = [
      "\(file.format.name): \(Quantity(file.tracks.count, "track")), \(Quantity(file.pointCount, "point")), \(length)"
    ]
    if problemCount > 0 {
      lines.append("Warning: \(Quantity(problemCount, "part")) of the file could not be imported:")
      lines += ImportProblem.lines(problems, of: problemCount)
    }
    lines += file.leftOut.map { "Skipped: \($0.count) × \($0.what)" }
    lines += (file.remarks + [file.timeRemark].compactMap(\.self)).map { "Note: \($0)" }
    return lines
  }
}

// MARK: Imported tracks as JSON

extension TrackImport {
  fileprivate func members(isDryRun: Bool, in local: LocalTime) -> [(String, JSONText)] {
    let fixes = JSONText.object([("new", .number(fixCount.new)), ("known", .number(fixCount.known))])
    return [
      ("format", .string(file.format.rawValue)), ("dry_run", .bool(isDryRun)), ("file", fileJSON(in: local)),
      ("fixes", fixes), ("bad", .number(problemCount)), ("problems", .array(problems.map { .string("\($0)") })),
      ("trips", tripCount.json(trips.map { Self.trip($0, in: local) })),
      ("visits", visitCount.json(visits.map { Self.visit($0, in: local) })),
      (
        "workouts",
        .object([("new", .number(workouts?.new[.event] ?? 0)), ("known", .number(workouts?.known ?? 0))])
      ),
      ("skipped", .object(file.leftOut.map { ($0.what, .number($0.count)) })),
    ]
  }

  private func fileJSON(in local: LocalTime) -> JSONText {
    .object([
      ("tracks", .number(file.tracks.count)), ("segments", .number(file.segments.count)),
      ("points", .number(file.pointCount)), ("points_with_time", .number(file.pointsWithTime)),
      ("points_skipped", .number(file.skippedPoints)), ("waypoints", .number(file.waypoints.count)),
      ("first", .string(file.firstTime.map { local.rfc3339($0) })),
      ("last", .string(file.lastTime.map { local.rfc3339($0) })),
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
