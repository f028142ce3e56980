import CommandSupport
import TrendyFoundation
import TrendyModels

/// A calendar month or year in the user's time zone.
struct MonthSpan {
  let range: Range<Date>
  /// Name such as `Nov 2026` or `2026`.
  let name: String

  /// Parses `--month`, which is a month (`2026-11`) or a year (`2026`); without it, selects the current month.
  /// - Throws: ``CommandError`` with exit 64 if the value is invalid.
  init(_ session: Session) throws(CommandError) {
    let local = session.local
    guard let text = session.arguments.value("--month") else {
      let now = local.components(of: session.now)
      self.init(year: now.year, month: now.month, in: local)
      return
    }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    let isMonth = parts.count == 2
    guard isMonth || parts.count == 1, let year = parts[0], (1...9998).contains(year),
      let month = isMonth ? parts[1] : 1, (1...12).contains(month)
    else { throw session.usageError("Invalid month '\(text)'", hint: "Use YYYY-MM, for example 2026-11.") }
    if isMonth { self.init(year: year, month: month, in: local) } else { self.init(year: year, in: local) }
  }

  private init(year: Int, in local: LocalTime) {
    range = local.date(year: year, month: 1, day: 1)..<local.date(year: year + 1, month: 1, day: 1)
    name = "\(year)"
  }

  private init(year: Int, month: Int, in local: LocalTime) {
    let next = month == 12 ? (year: year + 1, month: 1) : (year: year, month: month + 1)
    range = local.date(year: year, month: month, day: 1)..<local.date(year: next.year, month: next.month, day: 1)
    name = "\(LocalTime.months[month - 1]) \(year)"
  }
}
