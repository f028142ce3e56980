import CommandSupport
import TrendyInsights
import TrendyModels

struct DigestCommand: Command {
  static let spec = CommandSpec(
    "digest", .optional("day|week", .oneOf(["day", "week"])),
    summary: "Summarize the day or the week in a few sentences.", group: .review,
    examples: ["digest", "digest week", "digest --json"], options: ReportOptions.ofTypes,
    columns: ["topic", "sentence"])

  struct Answer {
    let digest: Digest
    /// Distance driven, or `nil` if there were no trips, or if options select only some events.
    let driven: Driven?
    let times: TypeTimes
    /// Last day of the analysis.
    let today: CivilDate
  }

  private let period: CalendarPeriod
  private var options: ReportOptions

  init(_ session: Session) throws {
    options = try ReportOptions(session)
    switch session.arguments.positionals.first?.lowercased() {
    case nil, "day": period = .day
    case "week": period = .week
    case .some(let word):
      throw session.usageError("Invalid period '\(word)'", hint: "Use 'trendy digest day' or 'trendy digest week'.")
    }
    options.query.details = .goals
    if period == .week { options.query.comparison = options.query.period(.week) }
  }

  func act(_ session: Session) throws -> Answer {
    let (report, record) = try options.report(session)
    let digest = report.digest(period)
    let driven = try report.query.period(period, around: digest.days.lowerBound)
      .flatMap { try Driven($0, report.query, record) }
    return Answer(
      digest: digest, driven: driven?.trips.isEmpty == false ? driven : nil,
      times: try TypeTimes(report, on: digest.days, from: record), today: report.query.today)
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    let (console, digest) = (session.console, answer.digest)
    let sentences = zip(digest.statements.map(\.topic), digest.sentences(by: PlainNarrator()))
    let driven = answer.driven.map { ("driven", $0.sentence(period, session.units)) }
    let times = answer.times.sentence.map { ("time", $0) }
    let told = [times].compactMap(\.self) + Array(sentences) + [driven].compactMap(\.self)
    if console.isJSON {
      console.document(
        "trendy.digest/1",
        [
          ("period", .string(period.rawValue)), ("day_part", .string(digest.part.rawValue)),
          ("from", .string(digest.days.lowerBound.description)),
          ("through", .string(digest.days.upperBound.description)),
          ("events", .number(digest.basis?.events ?? 0)), ("active_days", .number(digest.basis?.activeDays ?? 0)),
          ("needs_days", .number(digest.missingDays)), ("needs_events", .number(digest.missingEvents)),
          (
            "sentences",
            .array(told.map { .object([("topic", .string($0.0)), ("sentence", .string($0.1))]) })
          ),
        ])
    }
    if console.format == .plain {
      for (topic, sentence) in told { console.row([topic, sentence]) }
    }
    let heading =
      period == .day
      ? "\(digest.days.words(near: answer.today)), \(digest.part.rawValue)"
      : digest.days.words(near: answer.today)
    console.text(StyledText([StyledText.Part(heading, .heading)]))
    for sentence in digest.basis == nil ? [NothingRecorded.words(isNarrow: options.isNarrow)] : told.map(\.1) {
      for line in console.terminal.lines(of: sentence, indent: 2) { console.text(line) }
    }
    return .done
  }
}
