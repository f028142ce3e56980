import AppContainer
import CommandSupport
import SampleLife
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendySync
import TrendyTrips

/// `trendy demo`
struct DemoCommand: Command {
  static let spec = CommandSpec(
    "demo", summary: "Look around in the record of somebody who does not exist.", group: .care,
    examples: ["demo", "demo --keep ~/demo"],
    options: [
      OptionSpec(
        "--keep", value: "folder", kind: .folder, help: "leave the store there: a folder that is not there yet"),
      OptionSpec("--years", value: "number", kind: .number, help: "of life, 1 to 20; 3 unless said"),
      OptionSpec("--seed", value: "number", kind: .number, help: "another number is another life"),
    ], columns: ["store (empty where it is gone again)", "entries", "types"])

  struct Answer {
    let store: URL
    let isKept: Bool
    let events: Int
    let types: Int
    let days: ClosedRange<CivilDate>
  }

  /// What is shown, as a person would type it.
  private static let tour = [
    "today", "week", "stats coffee", "chart run --of distance", "cal run", "records --type run", "streaks", "insights",
    "trip list --limit 4",
  ]

  private let kept: URL?
  private let life: SampleLife

  init(_ session: Session) throws {
    let folder = session.arguments.value("--keep").map { URL(filePath: $0).absoluteURL }
    if let folder, FileManager.default.fileExists(atPath: folder.path) {
      throw CommandError(
        "\(folder.path) is there already.", hint: "Name a folder that is not there yet: nothing is written over.",
        exit: .cannotCreate)
    }
    kept = folder
    let years = try session.wholeNumber(option: "--years", in: 1...20) ?? 3
    let seed = try session.wholeNumber(option: "--seed", in: 0...Int.max) ?? 1
    life = try SampleLife(
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
      // A store that is half made is nobody's; why it was not made whole is what is told.
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
        ? "Kept. Look around: trendy --store \(ShellWords.quoted(answer.store.path)) list"
        : "Gone again. To look around yourself: trendy demo --keep FOLDER")
    return .done
  }

  private func remove(_ store: URL) throws(CommandError) {
    do {
      try FileManager.default.removeItem(at: store)
    } catch {
      throw CommandError("The store of the demo stayed at \(store.path)", hint: "Remove that folder.", exit: .readWrite)
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
      "\(Quantity(years, "year")) of a life that nobody lived: \(Quantity(answer.events, "entry", "entries")) of \(answer.types) types."
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
      preconditionFailure("'\(line)' is a command")
    }
    let shown = try Session(
      command: spec, arguments: try Commands.table.arguments(rest, of: spec), console: session.console, words: words,
      settings: Settings(environment: Environment.all))
    _ = try Commands.run(spec, shown)
  }
}

extension DeviceRecord {
  private static let batchSize = 2000

  /// Records a life, as far as it lies in the past.
  /// - Returns: events that were recorded.
  fileprivate func take(_ life: SampleLife, until now: Date) throws -> Int {
    try recorder.inOneSave { save in
      for defined in life.types {
        try save.record(defined.type)
        for definition in defined.definitions { try save.record(definition) }
      }
      for place in life.places { try save.record(place) }
      try save.record(SyncedRecord(id: life.vehicle.id, kind: .vehicle, fields: life.vehicle.fields))
      for days in life.holidays {
        let moments =
          life.local.midnight(of: days.lowerBound)..<life.local.midnight(of: days.upperBound.advanced(by: 1))
        try save.record(Skip(id: makeID(), eventTypeId: life.pausedType.id, days: moments, note: "Holiday").record)
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
