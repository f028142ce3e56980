import CommandSupport
import TrendyInsights
import TrendyModels

/// Comparison of a period with the previous one, for the selected events and the distance driven.
struct PeriodReport {
  let review: PeriodReview
  /// Current time of day if the period is not over, otherwise `nil`.
  let clock: String?
  /// Distance driven; `nil` if there were no trips in either period, or if options exclude some trips.
  let driven: Driven?

  /// Compares a period, up to the last selected day, with the previous period.
  /// - Parameters:
  ///   - period: week, month or year.
  ///   - day: any day of the period; `nil` for the last selected day.
  ///   - session: command line with the options.
  /// - Throws: `CommandError` with exit 64 if the period is in the future, or if `--since` excludes part of the
  ///   previous period.
  init(_ period: CalendarPeriod, around day: CivilDate? = nil, _ session: Session) throws {
    let histories = try TypeHistories(session)
    let (local, last) = (session.local, histories.today)
    guard
      let span = ReviewedPeriod(
        period, around: day ?? last, until: last, today: local.day(of: session.now), firstWeekday: local.firstWeekday)
    else {
      let first = period.days(around: day ?? last, firstWeekday: local.firstWeekday).lowerBound
      throw session.usageError("\(first.words(near: last)) is in the future")
    }
    let before = span.daysBefore
    if let first = histories.firstDay, first > before.lowerBound {
      throw session.usageError(
        "--since excludes part of the previous \(period.rawValue), which this one is compared with",
        hint: "The previous \(period.rawValue) begins on \(before.lowerBound.words(near: last)). Use --until to "
          + "show an earlier \(period.rawValue).")
    }
    review = PeriodReview(
      span, types: try histories.all(), skips: try histories.settings().skips,
      later: span.endsAtPresentTime ? try histories.later(on: before.upperBound) : [:])
    clock = span.isPresent ? local.time(session.now) : nil
    driven = try Driven(
      span.days, against: before, period, histories, session,
      until: span.endsAtPresentTime ? histories.sameTime(on: before.upperBound) : nil)
  }
}
