import CommandSupport
import TrendyFoundation
import TrendyModels

extension Session {
  func phrase(option: String) throws(CommandError) -> TimePhrase? {
    guard let text = arguments.value(option) else { return nil }
    return try TimePhrase(text, now: now, in: local)
  }

  func date(option: String, _ meaning: TimePhrase.Meaning = .past) throws(CommandError) -> Date? {
    guard let phrase = try phrase(option: option) else { return nil }
    return try date(phrase, meaning)
  }

  /// Returns the range from `--since` and `--until`, or from a range in `--since`.
  func range() throws(CommandError) -> Range<Date>? {
    if let text = arguments.value("--since"), let range = try TimePhrase.range(text, now: now, in: local) {
      guard arguments.value("--until") == nil else {
        throw usageError("The range '\(text)' cannot be combined with --until")
      }
      let (since, until) = (try date(range.from, .since), try date(range.to, .until))
      guard since <= until else { throw usageError("The range '\(text)' ends before it starts") }
      return since..<until
    }
    let (since, until) = (try date(option: "--since", .since), try date(option: "--until", .until))
    if let since, let until, since > until { throw usageError("--since is after --until") }
    return since == nil && until == nil ? nil : (since ?? .distantPast)..<(until ?? .distantFuture)
  }

  /// Resolves a phrase to a point in time and prints the resulting note, if any.
  ///
  /// If a limit is a duration, also prints its date, so that the user notices that `1m` is a minute rather than a
  /// month.
  func date(_ phrase: TimePhrase, _ meaning: TimePhrase.Meaning) throws(CommandError) -> Date {
    let resolved = try phrase.resolved(meaning)
    if let note = resolved.note { console.talk(note) }
    if meaning == .since || meaning == .until, let duration = phrase.durationWords, console.printsReports {
      let isToday = local.startOfDay(resolved.date) == local.startOfDay(now)
      let date =
        isToday
        ? local.time(resolved.date) : local.dayAndTime(resolved.date, year: local.components(of: now).year)
      console.talk("\(meaning == .since ? "Since" : "Until") \(date), \(duration) ago.")
    }
    return resolved.date
  }

  /// Returns the value of an option such as `--for 1h30m` in seconds.
  func seconds(option: String, in range: ClosedRange<Double> = 0...Double.infinity) throws(CommandError) -> Double? {
    guard let text = arguments.value(option) else { return nil }
    guard let seconds = DurationPhrase.seconds(text) else {
      throw usageError("Invalid duration '\(text)'", hint: DurationPhrase.help)
    }
    guard range.contains(seconds) else {
      throw usageError(
        "The value '\(text)' is out of range for '\(option)'",
        hint:
          "Use a duration from \(DurationPhrase.words(range.lowerBound)) to \(DurationPhrase.words(range.upperBound)).")
    }
    return seconds
  }
}
