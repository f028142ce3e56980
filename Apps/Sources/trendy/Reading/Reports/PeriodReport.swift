import CommandSupport
import TrendyInsights
import TrendyModels

/// A ``PeriodReview`` of the events that the options select, and the distance driven.
struct PeriodReport {
  let review: PeriodReview
  /// The present time of day if the last day has not ended; otherwise `nil`.
  let clock: String?
  /// `nil` if the options select only some events, or nothing was driven in either period.
  let driven: Driven?

  /// Reviews a period up to the last selected day.
  /// - Parameters:
  ///   - period: a week, a month or a year.
  ///   - day: any day of it; `nil` for the last selected day.
  ///   - session: source of the options.
  /// - Throws: `CommandError` with exit 64 for a future period, or if `--since` excludes a part of the previous period.
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
        "--since excludes a part of the previous \(period.rawValue), with which this one is compared",
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
