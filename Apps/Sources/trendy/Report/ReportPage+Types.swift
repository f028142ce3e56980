import CommandSupport
import TrendyInsights
import TrendyModels

extension ReportPage {
  var each: Markup {
    let hasSkips = found.present.contains { !$0.skips.isDisjoint(with: found.days) }
    let parts = found.present.map(type)
    let shown = found.isYear ? found.days.lowerBound...yearEnd : found.days
    return "\(key(shown, found.present.map(\.whole), skips: hasSkips))<div class=\"types\">\n\(parts)</div>\n"
  }

  func type(_ entry: LookBack.Entry) -> Markup {
    let shown = found.isYear ? found.days.lowerBound...yearEnd : found.days
    var said = [
      "\(counted(entry.change.now, "entry", "entries")) on \(entry.change.activeDays) of \(Quantity(found.days.count, "day"))"
    ]
    if let records = entry.records {
      if found.months.count > 1 {
        said.append("most in \(records.month.days.lowerBound.monthWords(near: found.days)) (\(records.month.events))")
      }
      if records.streak > 1 { said.append("\(records.streak)-day streak until \(day(records.streakEnd))") }
    }
    let finding = said.joined(separator: "; ") + "."
    let heat = HeatPicture(
      days: shown, last: found.days.upperBound, isPresent: found.isPresent, history: entry.whole, skips: entry.skips,
      firstWeekday: local.firstWeekday, label: "\(entry.type.name.isolated) by day. \(finding)")
    let order = (0..<7).map { ($0 + local.firstWeekday) % 7 }
    let months = entry.history.series(by: .month, over: found.days, firstWeekday: local.firstWeekday).points
    let (weekdays, hours) = (entry.history.weekdays, entry.history.hours)
    func small(_ name: String, _ picture: BarPicture) -> Markup { "<div><h4>\(name)</h4>\(picture.markup)</div>" }
    var pictures: [Markup] = []
    if months.count > 1 {
      pictures.append(
        small(
          "Months",
          BarPicture(
            bars: months.map { point in
              BarPicture.Bar(
                name: months.count <= 12
                  ? LocalTime.months[point.days.lowerBound.month - 1] : point.days.lowerBound.shortMonth,
                value: point.value ?? 0, figure: months.count <= 12 ? Self.number(point.value ?? 0) : nil)
            }, label: "\(entry.type.name.isolated) by month", height: 84,
            nameStep: max(1, months.count / 12 + (months.count > 12 ? 1 : 0)))))
    }
    pictures.append(
      small(
        weekdayFinding(entry.history),
        BarPicture(
          bars: order.map {
            BarPicture.Bar(name: String(LocalTime.weekdays[$0].prefix(2)), value: Double(weekdays[$0]))
          },
          label: "\(entry.type.name.isolated) by weekday", width: 180, height: 84)))
    if hours.contains(where: { $0 > 0 }) {
      pictures.append(
        small(
          whenFinding(entry.history),
          BarPicture(
            bars: hours.enumerated().map { BarPicture.Bar(name: hourName($0.offset), value: Double($0.element)) },
            label: "\(entry.type.name.isolated) by hour", width: 288, height: 84, nameStep: 6)))
    }
    var amounts: Markup = ""
    if !entry.amounts.isEmpty {
      amounts = plainTable(
        "Values", ["", "total", "mean", "median", "maximum"],
        entry.amounts.map { amount in
          let said = { (value: Double) in amount.isLength ? DurationPhrase.words(value) : Self.decimal(value) }
          return [
            .text(amount.label), .number(said(amount.distribution.sum)), .number(said(amount.distribution.mean)),
            .number(said(amount.distribution.median)), .number("\(said(amount.most.value)) on \(day(amount.most.day))"),
          ]
        })
    }
    let twin = table(
      "\(entry.type.name.isolated) by month", ["month", "entries", "active days"],
      months.map { point in
        [
          .text(point.days.lowerBound.monthWords(near: nil)), .number(Self.number(point.value ?? 0)),
          .number("\(entry.whole.days.over(point.days).values.count { $0 > 0 })"),
        ]
      })
    return """
      <figure class="type t t\(number(of: entry.type.id))"><h3>\(disc(entry.type))\(name: entry.type.name)</h3>
      <p class="finding">\(finding)</p>
      \(heat.markup)
      <div class="small">\(pictures)</div>
      \(amounts)\(twin)</figure>

      """
  }
}
