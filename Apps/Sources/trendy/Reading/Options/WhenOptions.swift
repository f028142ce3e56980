import CommandSupport
import TrendyFoundation
import TrendyModels

/// Options for an event's start and end: a range, or at most two of start, duration and end.
struct WhenOptions {
  static let all = [
    OptionSpec(
      "--at", "--from", value: "time", kind: .time, help: "start time or range: 8:30, 'yesterday 9pm', 9:00-10:30"),
    OptionSpec("--for", value: "duration", kind: .duration, help: "duration: 1h30m"),
    OptionSpec("--to", "--until", value: "time", kind: .time, help: "end time"),
  ]

  private let from: TimePhrase?
  private let to: TimePhrase?
  /// Duration in seconds.
  private let length: Double?

  init(_ session: Session) throws(CommandError) {
    length = try session.seconds(option: "--for")
    let end = try session.phrase(option: "--to")
    if let text = session.arguments.value("--at"),
      let range = try TimePhrase.range(text, now: session.now, in: session.local)
    {
      guard end == nil, length == nil else {
        throw session.usageError("The range '\(text)' cannot be combined with --to or --for")
      }
      (from, to) = (range.from, range.to)
    } else {
      (from, to) = (try session.phrase(option: "--at"), end)
    }
    if from != nil, to != nil, length != nil {
      throw session.usageError("Only two of --from, --for and --to can be combined")
    }
  }

  /// Returns the start and end of a new event. Without options, it starts now and has no end.
  func span(_ session: Session) throws(CommandError) -> (start: Date, end: Date?) {
    if let from {
      let start = try session.date(from, .past)
      return try checked(start, end(of: start, session), session)
    }
    guard let to else { return try checked(session.now, end(of: session.now, session), session) }
    if let length {
      let end = try session.date(to, .past)
      return try checked(end.addingTimeInterval(-length), end, session)
    }
    let end = try session.date(to, .end(of: session.now))
    guard end >= session.now, to.namesDay || end < session.now.addingTimeInterval(43_200) else {
      throw session.usageError("Missing start time", hint: "Add --from 8:30 or --for 45m.")
    }
    return try checked(session.now, end, session)
  }

  /// Returns the new start and end of an existing event, each of which is `nil` if unchanged.
  ///
  /// A time without a date is on the event's day. A date without a time keeps the event's time of day.
  func span(editing event: Event, _ session: Session) throws(CommandError) -> (start: Date?, end: Date?) {
    let start = event.timestamp
    let meaning = event.isAllDay ? TimePhrase.Meaning.day(of: start) : .moved(from: start)
    let newStart = if let from { try session.date(from, meaning) } else { nil as Date? }
    if newStart == nil, let to, let length {
      let end = try session.date(to, .end(of: start))
      return try checked(end.addingTimeInterval(-length), end, session)
    }
    let span = try checked(newStart ?? start, end(of: newStart ?? start, session), session)
    return (newStart, span.end)
  }

  private func end(of start: Date, _ session: Session) throws(CommandError) -> Date? {
    if let to { return try session.date(to, .end(of: start)) }
    return length.map { start.addingTimeInterval($0) }
  }

  private func checked(
    _ start: Date, _ end: Date?, _ session: Session
  ) throws(CommandError) -> (start: Date, end: Date?) {
    guard TimePhrase.writable.contains(start), TimePhrase.writable.contains(end ?? start) else {
      throw session.usageError("The time is outside the years 1 to 9999")
    }
    if let end, end < start { throw session.usageError("The end is before the start") }
    let soon = session.now.addingTimeInterval(60)
    func words(_ date: Date) -> String {
      let year = session.local.components(of: session.now).year
      return session.arguments.has(EventPhrase.allDay.key)
        ? session.local.day(session.local.startOfDay(date), year: year) : session.local.dayAndTime(date, year: year)
    }
    if start > soon {
      session.console.talk("Note: the start is in the future (\(words(start))).")
    } else if let end, end > soon {
      // With only a duration, the event starts now, but the user may have meant an event that has just ended.
      let advice = from == nil && to == nil ? " If the event is over, add --until now." : ""
      session.console.talk("Note: the end is in the future (\(words(end))).\(advice)")
    }
    return (start, end)
  }
}
