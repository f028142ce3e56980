import CommandSupport
import TrendyInsights
import TrendyModels
import TrendyTrips

extension ReportPage {
  func trips(_ driving: LookBack.Driving) -> Markup {
    let change =
      driving.before.trips == 0
      ? "" : "; \(distanceText(driving.before.total)) in \(Quantity(driving.before.trips, "trip")) in \(beforeWords)"
    let finding = "\(distanceText(driving.now.total)) in \(Quantity(driving.now.trips, "trip"))\(change)."
    let most = driving.months.map(\.mileage.total).max() ?? 1
    let months = driving.months.map { days, mileage -> Markup in
      """
      <li><span class="name">\(days.lowerBound.monthWords(near: found.days))</span><div class="bar">\(mileageBar(mileage, most))</div>\
      <div class="end"><b>\(distance(mileage.total))</b> <span class="quiet">\(Quantity(mileage.trips, "trip"))</span></div></li>

      """
    }
    let isDecided = driving.now.unclassified == 0
    let columns = ["trips", "business", "private"] + (isDecided ? [] : ["unclassified"]) + ["total"]
    func cells(_ mileage: Mileage) -> [Cell] {
      [.number("\(mileage.trips)")]
        + ([mileage.business, mileage.`private`] + (isDecided ? [] : [mileage.unclassified]) + [mileage.total])
        .map { .number(distanceText($0)) }
    }
    let byMonth = table(
      "Mileage by month", ["month"] + columns,
      driving.months.map { [.text($0.days.lowerBound.monthWords(near: nil))] + cells($0.mileage) })
    let vehicles = plainTable(
      "By vehicle", ["vehicle"] + columns, driving.vehicles.map { [.text($0.name)] + cells($0.mileage) })
    let destinations = driving.destinations.prefix(10)
    var goals: Markup = ""
    if let first = destinations.first {
      let longest =
        driving.longest.map {
          " The longest trip was \(distanceText($0.distance)), on \(day(local.day(of: $0.event)))."
        } ?? ""
      goals =
        "<figure><p class=\"finding\">Most often to \(name: first.name): \(Quantity(first.mileage.trips, "time")).\(longest)</p>\n"
      goals += plainTable(
        "Where trips ended", ["place", "trips", "distance"],
        destinations.map { [.text($0.name), .number("\($0.mileage.trips)"), .number(distanceText($0.mileage.total))] })
      goals += "</figure>\n"
    }
    return """
      \(figure(finding, "<ul class=\"rows places\">\n\(months)</ul>\(mileageKey(driving.now))", byMonth))
      <div class="columns"><figure><p class="finding">\(categories(driving.now))</p>
      \(vehicles)</figure>
      \(goals)</div>

      """
  }

  func categories(_ mileage: Mileage) -> String {
    guard mileage.total > 0, mileage.business + mileage.`private` > 0 else {
      return "The trips are not classified."
    }
    return
      "Business \(Self.percent(mileage.business / mileage.total)), private \(Self.percent(mileage.`private` / mileage.total))"
      + (mileage.unclassified > 0 ? ", unclassified \(Self.percent(mileage.unclassified / mileage.total))." : ".")
  }

  func mileageBar(_ mileage: Mileage, _ most: Double) -> Markup {
    let whole = max(most, 1e-9)
    return RowPicture(parts: [
      (mileage.business / whole, "solid"), (mileage.`private` / whole, "outline"),
      (mileage.unclassified / whole, "open"),
    ]).markup
  }

  func mileageKey(_ mileage: Mileage) -> Markup {
    func sample(_ kind: Markup, _ name: String) -> Markup {
      "<span><svg viewBox=\"0 0 14 14\" aria-hidden=\"true\"><rect class=\"\(kind)\" x=\"1\" y=\"2\" width=\"12\" height=\"10\"/></svg>\(name)</span>"
    }
    return
      "<p class=\"key\">\(sample("solid", "business"))\(sample("outline", "private"))\(mileage.unclassified > 0 ? sample("open", "unclassified") : "")</p>"
  }

  var places: Markup {
    let most = Double(found.stays.first?.visits ?? 1)
    let list = found.stays.prefix(20)
    let rows = list.map { stay -> Markup in
      """
      <li class="t t0"><span class="name">\(name: stay.place.name)</span><div class="bar">\(RowPicture(share: Double(stay.visits) / most).markup)</div>\
      <div class="end"><b>\(Quantity(stay.visits, "visit"))</b> <span class="quiet">\(hours(stay.seconds))</span></div></li>

      """
    }
    let table = self.table(
      "Visits", ["place", "visits", "time"],
      found.stays.map { [.text($0.place.name), .number("\($0.visits)"), .number(hours($0.seconds))] })
    let first = found.stays[0]
    return figure(
      "Most often at \(first.place.name.isolated): \(Quantity(first.visits, "visit")), \(hours(first.seconds)) in total.",
      "<ul class=\"rows places\">\n\(rows)</ul>", table)
  }
}
