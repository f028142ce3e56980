import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyInsights
import TrendyModels

/// Digest of a day or week: statements about the selected events, and the distance driven.
struct DigestReport {
  let digest: Digest
  /// Distance driven; `nil` if there were no trips, or if options exclude some trips.
  let driven: Driven?
  /// Day of the digest, or last day of the week so far.
  let today: CivilDate

  init(_ period: CalendarPeriod, _ session: Session) throws {
    let histories = try TypeHistories(session)
    let (local, today, firstWeekday) = (session.local, histories.today, session.local.firstWeekday)
    let all = try histories.all()
    let settings = try histories.settings()
    // A digest of a past day includes all of its events, as if it were made at the end of that day.
    let isOver = today < local.day(of: session.now)
    let end = local.start(of: today.advanced(by: 1)).addingTimeInterval(-0.001)
    let now = isOver ? end : session.now
    let goals = try GoalAmounts.progress(in: StoreUserRecord(histories.store), settings, now: now, local: local)
    let subjects = all.map { type, history in
      Digest.Subject(
        id: type.id, name: type.name, history: history, skips: settings.skips(of: type.id),
        progress: goals[type.id])
    }
    let minute = isOver ? 1439 : local.components(of: now).hour * 60
    switch period {
    case .week:
      let relations = CorrelationSearch(
        among: Dictionary(uniqueKeysWithValues: all.map { ($0.type.id, $0.history) })
      ).strongest
      let later = isOver ? [:] : try histories.later(on: today.advanced(by: -7))
      digest = Digest.week(
        of: subjects, today: today, minute: minute, firstWeekday: firstWeekday, relations: relations, later: later)
    default: digest = Digest.day(of: subjects, today: today, minute: minute, isOver: isOver)
    }
    let before = period.before(digest.days, firstWeekday: firstWeekday)
    let isPresent = !isOver && digest.days.upperBound == today
    driven = try Driven(
      digest.days, against: before, period, histories, session,
      until: isPresent ? histories.sameTime(on: before.upperBound) : nil
    )
    .flatMap { $0.isAnything ? $0 : nil }
    self.today = today
  }
}
