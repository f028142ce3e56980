import AppContainer
import CommandSupport
import TrendyAgent
import TrendyArchive
import TrendyFoundation
import TrendyInterchange
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTrips

struct ExportCommand: Command {
  static let spec = CommandSpec(
    "export", .optional("format", .oneOf(InterchangeFormat.writable.map(\.word))), .optional("file|-", .file),
    summary: "Export entries or tracks in a common format, to standard output or a file.", group: .data,
    examples: [
      "export ndjson all.ndjson", "export csv --type coffee --since 2026-01-01", "export json -",
      "export gpx drive.gpx --trip @1", "export kml --day yesterday", "export loop habits.zip",
      "export ndjson --every 1d --to ~/exports --keep 14",
    ],
    options: EventSelection.options + TrackExport.options + TrackExport.shared + [
      OptionSpec("--yes", help: "overwrite an existing file"),
      OptionSpec("--no-fixes", help: "ndjson: without recorded positions"),
    ] + ExportOrder.options)

  enum Answer {
    case written(FileExport.Written)
    case ordered(ExportOrder.Outcome)
  }

  private enum Request {
    case write(FileExport)
    case order(ExportOrder)
  }

  private let request: Request

  init(_ session: Session) throws {
    let words = session.arguments.positionals
    guard let word = words.first ?? (session.arguments.has("--every") ? "ndjson" : nil) else {
      throw session.usageError(
        "Missing format", hint: "Supported formats: \(InterchangeFormat.writable.map(\.word).joined(separator: ", ")).")
    }
    guard let format = InterchangeFormat.named(word), !format.writes.isEmpty else {
      let known = InterchangeFormat.writable.map(\.word).joined(separator: ", ")
      throw session.usageError(
        "Unknown export format '\(word)'", hint: "Supported formats: \(known), mileage, report.")
    }
    // With `--every`, `--to` is a folder instead of the end of a period.
    if let order = try ExportOrder(session, format: format.word, to: "--until") {
      request = .order(order)
    } else {
      request = .write(try FileExport(session, format))
    }
  }

  func act(_ session: Session) throws -> Answer {
    switch request {
    case .write(let export): .written(try export.act(session))
    case .order(let order): .ordered(try order.carryOut(session))
    }
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    switch (answer, request) {
    case (.written(let written), .write(let export)): export.show(written, session)
    case (.ordered(let outcome), _): ExportOrder.show(outcome, session)
    case (.written, .order): .bug
    }
  }
}

/// Export of entries or tracks to a file or standard output.
struct FileExport {
  private let format: InterchangeFormat
  private let path: String?
  private let isReplacing: Bool
  private let withReadings: Bool
  private let selection: EventSelection
  /// Selected tracks, or `nil` if the format has no tracks.
  private let tracks: TrackExport?
  /// Vehicle whose trips are exported, or `nil` for all events.
  private let vehicleName: String?

  struct Written {
    /// Number of records or, in a track format, positions.
    var records = 0
    /// Exported tracks, or `nil` if the format has no tracks.
    var tracks: TrackExport.Outcome?
  }

  init(_ session: Session, _ format: InterchangeFormat) throws {
    let words = session.arguments.positionals
    self.format = format
    path = words.count == 2 && words[1] != "-" ? words[1] : nil
    isReplacing = session.arguments.has("--yes")
    withReadings = !session.arguments.has("--no-fixes")
    selection = try EventSelection(session, during: TrackExport.range(session))
    let ofEvents = EventSelection.options.map(\.key).filter { !["--since", "--until"].contains($0) }
    if format.writes == .fixes, let key = ofEvents.first(where: session.arguments.has) {
      throw session.usageError(
        "'\(key)' selects events, but \(format.name) contains tracks",
        hint: "Select tracks with --trip, --day, --since, --until or --vehicle.")
    }
    tracks = format.writes == .fixes ? try TrackExport(session) : nil
    if let option = TrackExport.options.first(where: { session.arguments.has($0.key) }), tracks == nil {
      throw session.usageError(
        "'\(option.key)' selects tracks, but \(format.name) contains none",
        hint: "Formats with tracks: gpx, geojson, kml, rec.")
    }
    vehicleName = tracks == nil ? session.arguments.value("--vehicle") : nil
    if format.isWrittenAsArchive, path == nil {
      throw session.usageError(
        "\(format.name) is an archive and needs a file",
        hint: "Specify a file, for example: trendy export \(format.word) habits.zip")
    }
    if format.writes == .everything,
      selection.isNarrow || ["--day", "--vehicle"].contains(where: session.arguments.has)
    {
      throw session.usageError(
        "\(format.name) always contains the whole store", hint: "To select entries, use csv or json.")
    }
  }

  func act(_ session: Session) throws -> Written {
    let container = try session.openStore()
    guard let path else {
      var answer = Written()
      // A progress line would be mixed with the exported data.
      let advance = Advance(line: nil)
      try session.console.gathering { console in answer = try write(container, session, advance) { console.raw($0) } }
      return answer
    }
    Interruption.wait()
    let file = try FileOutput(path: path, isReplacing: isReplacing)
    let progress = ProgressLine(session.console)
    defer { progress.end() }
    progress.begin(of: nil, in: .things(tracks == nil ? "records" : "fixes"))
    let advance = Advance(line: progress)
    let answer =
      try format.isWrittenAsArchive
      ? Written(records: writeArchive(container, session, advance, to: file))
      : write(container, session, advance) { try file.write($0) }
    try file.finish()
    return answer
  }

  private func write(
    _ container: AppContainer, _ session: Session, _ advance: Advance, to put: (String) throws -> Void
  ) throws -> Written {
    guard let tracks, var writer = format.trackWriter() else {
      return Written(records: try writeRecords(container, session, advance, to: put))
    }
    let outcome = try tracks.write(&writer, of: container, onFixes: { try advance($0) }, to: put)
    return Written(records: outcome.fixes, tracks: outcome)
  }

  /// Progress of an export. Stops the export if the user presses Ctrl-C.
  private struct Advance {
    let line: ProgressLine?

    func callAsFunction(_ count: Int) throws(CommandError) {
      line?.advance(by: count)
      try Interruption.check(hint: "Nothing was written.")
    }
  }

  /// Writes the selected events or the whole record. Returns the number of records.
  private func writeRecords(
    _ container: AppContainer, _ session: Session, _ advance: Advance, to put: (String) throws -> Void
  ) throws -> Int {
    var count = 0
    if format.writes == .everything {
      try put(TrendyNDJSON.header + "\n")
      try container.record.forEachRecord(withReadings: withReadings) { record in
        guard let line = try TrendyNDJSON.line(record) else { return }
        try put(line)
        count += 1
        if count % 256 == 0 { try advance(256) }
      }
      return count
    }
    let store = container.makeLocalStore()
    let events = try events(in: store, session)
    var keys: Set<String> = []
    var total = 0
    try events { page in
      for event in page { keys.formUnion(event.properties.keys) }
      total += page.count
      try advance(0)
    }
    advance.line?.begin(of: Int64(total), in: .things("records"))
    let context = try context(of: store, session, propertyKeys: keys.sorted())
    guard var writer = format.eventWriter(context) else { preconditionFailure("\(format.word) holds events") }
    try put(writer.beginning())
    try events { page in
      for event in page { try put(writer.text(of: event)) }
      count += page.count
      try advance(page.count)
    }
    try put(writer.ending())
    return count
  }

  /// Returns a function that passes the selected events to `body` in pages, newest first.
  private func events(
    in store: LocalStore, _ session: Session
  ) throws -> (_ body: ([Event]) throws -> Void) throws -> Void {
    let search = try selection.search(in: store, session)
    let vehicle = try vehicleName.map { try Lookup(store: store).vehicle($0).id }
    return { body in
      try search.forEachPage(in: store) { page in
        try body(vehicle == nil ? page : page.filter { TripEvent($0)?.vehicleId == vehicle })
        return true
      }
    }
  }

  private func context(
    of store: any DataStoreProtocol, _ session: Session, propertyKeys: [String]
  ) throws -> ExportContext {
    let local = session.local
    return ExportContext(
      types: Dictionary(uniqueKeysWithValues: try store.fetchAllEventTypes().map { ($0.id, $0) }),
      propertyKeys: propertyKeys, zone: ZoneClock(name: local.zoneName) { local.components(of: $0).secondsFromGMT },
      now: session.now, date: { local.date($0, of: $1) })
  }

  /// Writes the selected events as a ZIP archive. Returns their number.
  private func writeArchive(
    _ container: AppContainer, _ session: Session, _ advance: Advance, to file: FileOutput
  ) throws -> Int {
    let store = container.makeLocalStore()
    guard var writer = format.archiveWriter(try context(of: store, session, propertyKeys: [])) else {
      preconditionFailure("\(format.word) is written as an archive")
    }
    var count = 0
    var types: Set<String> = []
    let events = try events(in: store, session)
    try events { page in
      for event in page {
        writer.take(event, on: session.local.day(of: event))
        types.insert(event.eventTypeId)
      }
      count += page.count
      try advance(page.count)
    }
    for skip in try store.fetchRecords(kind: .skip).compactMap(Skip.init) where types.contains(skip.eventTypeId) {
      writer.take(daysOff: skip.days, ofType: skip.eventTypeId, note: skip.note)
    }
    var archive = ZipWriter { try file.write($0) }
    for (path, content) in writer.files() { try archive.add(path, Array(content.utf8)) }
    try archive.finish()
    return count
  }

  func show(_ answer: Written, _ session: Session) -> ExitCode {
    if let tracks, let outcome = answer.tracks, let note = tracks.note(of: outcome) { session.console.talk(note) }
    guard let path else { return .done }
    if session.console.isJSON {
      var members: [(String, JSONText)] = [
        ("format", .string(format.word)), ("file", .string(path)), ("records", .number(answer.records)),
      ]
      if let outcome = answer.tracks { members.append(("trips_without_fixes", .number(outcome.tripsWithoutFixes))) }
      session.console.document("trendy.export/1", members)
    } else {
      let what = tracks == nil ? Quantity(answer.records, "record") : Quantity(answer.records, "fix", "fixes")
      session.console.done("Exported \(what) to \(path).")
    }
    return .done
  }
}
