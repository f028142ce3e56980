import AppContainer
import CommandSupport
import SampleRecord
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendySync
import TrendyTrips

struct DemoCommand: Command {
  static let spec = CommandSpec(
    "demo", summary: "Demonstrate Trendy with sample data in a temporary store.", group: .system,
    examples: ["demo", "demo --keep ~/demo"],
    options: [
      OptionSpec(
        "--keep", value: "folder", kind: .folder, help: "keep the store in this new folder"),
      OptionSpec("--years", value: "number", kind: .number, help: "years of sample data, 1 to 20 (default 3)"),
      OptionSpec(
        "--seed", value: "number", kind: .number,
        help: "seed of the sample data: each number creates a different record"),
    ], columns: ["store (empty unless kept)", "entries", "types"])

  struct Answer {
    let store: URL
    let isKept: Bool
    let events: Int
    let types: Int
    let days: ClosedRange<CivilDate>
  }

  private static let tour = [
    "today", "week", "stats coffee", "chart run --of distance", "cal run", "records --type run", "streaks", "insights",
    "trip list --limit 4",
  ]

  private let kept: URL?
  private let life: SampleRecord

  init(_ session: Session) throws {
    let folder = session.arguments.value("--keep").map { URL(filePath: $0).absoluteURL }
    if let folder, FileManager.default.fileExists(atPath: folder.path) {
      throw CommandError(
        "\(folder.path) already exists", hint: "Name a new folder; existing files are never overwritten.",
        exit: .cannotCreate)
    }
    kept = folder
    let years = try session.wholeNumber(option: "--years", in: 1...20) ?? 3
    let seed = try session.wholeNumber(option: "--seed", in: 0...Int.max) ?? 1
    life = try SampleRecord(
      seed: UInt64(seed), today: session.local.day(of: session.now), days: 365 * years + years / 4, local: session.local
    )
  }

  func act(_ session: Session) throws -> Answer {
    let store = kept ?? FileManager.default.temporaryDirectory.appending(path: "trendy-demo-\(UUID().uuidString)")
    if kept == nil { RemovalAtSignal.remove(store.path) }
    do {
      let events = try AppContainer(storeDirectory: store).record.take(life, until: session.now)
      return Answer(store: store, isKept: kept != nil, events: events, types: life.types.count, days: life.days)
    } catch {
      RemovalAtSignal.waitIfBegun()
      // Remove the incomplete store. If that fails too, still report the original error.
      try? FileManager.default.removeItem(at: store)
      throw error
    }
  }

  func show(_ answer: Answer, _ session: Session) throws -> ExitCode {
    let shown = Result { try showTour(answer, session) }
    RemovalAtSignal.waitIfBegun()
    if !answer.isKept { try remove(answer.store) }
    try shown.get()
    session.console.done(
      answer.isKept
        ? "Sample store kept. Explore it: trendy --store \(ShellWords.quoted(answer.store.path)) list"
        : "Sample store deleted. To explore it yourself: trendy demo --keep FOLDER")
    return .done
  }

  private func remove(_ store: URL) throws(CommandError) {
    do {
      try FileManager.default.removeItem(at: store)
    } catch {
      throw CommandError(
        cannot: "delete the sample store at", store.path, error, hint: "Delete that folder yourself.")
    }
  }

  private func showTour(_ answer: Answer, _ session: Session) throws {
    let console = session.console
    if console.isJSON {
      console.document(
        "trendy.demo/1",
        [
          ("store", answer.isKept ? .string(answer.store.path) : .null), ("events", .number(answer.events)),
          ("event_types", .number(answer.types)), ("from", .string(answer.days.lowerBound.description)),
          ("through", .string(answer.days.upperBound.description)),
        ])
      return
    }
    if console.format == .plain {
      console.row([answer.isKept ? answer.store.path : "", "\(answer.events)", "\(answer.types)"])
      return
    }
    let years = answer.days.upperBound.year - answer.days.lowerBound.year
    console.text(
      "\(Quantity(answer.events, "sample entry", "sample entries")) of \(answer.types) types over \(Quantity(years, "year"))."
    )
    for line in Self.tour {
      console.text("")
      console.text(StyledText([StyledText.Part("$ trendy \(line)", .heading)]))
      try show(line, of: answer.store, session)
    }
    console.text("")
  }

  private func show(_ line: String, of store: URL, _ session: Session) throws {
    let words = ["--store", store.path] + line.split(separator: " ").map(String.init)
    guard case .command(let spec, let rest) = try Commands.table.meaning(of: words) else {
      preconditionFailure("'\(line)' must be a command")
    }
    let shown = try Session(
      command: spec, arguments: try Commands.table.arguments(rest, of: spec), console: session.console, words: words,
      settings: Settings(environment: Environment.all))
    _ = try Commands.run(spec, shown)
  }
}

extension DeviceRecord {
  private static let batchSize = 2000

  /// Records the sample data up to the current time. Returns the number of events.
  fileprivate func take(_ life: SampleRecord, until now: Date) throws -> Int {
    try recorder.inOneSave { save in
      for defined in life.types {
        try save.record(defined.type)
        for definition in defined.definitions { try save.record(definition) }
      }
      for place in life.places { try save.record(place) }
      try save.record(SyncedRecord(id: life.vehicle.id, kind: .vehicle, fields: life.vehicle.fields))
      for days in life.holidays {
        try save.record(Skip(id: makeID(), eventTypeId: life.pausedType.id, days: days, note: "Holiday").record)
      }
    }
    var count = 0
    var batch: [Event] = []
    func flush() throws {
      try recorder.inOneSave { save in
        for event in batch { try save.record(event) }
      }
      count += batch.count
      batch = []
    }
    for event in life.events where event.endDate ?? event.timestamp <= now {
      batch.append(event)
      if batch.count == Self.batchSize { try flush() }
    }
    try flush()
    return count
  }
}
