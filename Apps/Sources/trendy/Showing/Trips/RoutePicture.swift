import CommandSupport
import TrendyModels
import TrendyTrips

/// Map of a route in dots, to scale and with north up, with letters at both ends and a scale bar.
struct RoutePicture {
  private let route: [Coordinate]
  private let names: (start: String?, end: String?)
  private let units: Units

  private static let widest = 72
  private static let highest = 12

  /// Creates a map. `route` has the coordinates from start to end, and `names` the places at its ends.
  init(_ route: [Coordinate], names: (start: String?, end: String?), units: Units) {
    self.route = route
    self.names = names
    self.units = units
  }

  /// Returns the lines of the map, or none if the route has fewer than two distinct points.
  func lines(for terminal: Terminal) -> [String] {
    let points = metres
    guard let first = points.first, let last = points.last else { return [] }
    let (west, east) = points.reduce((first.x, first.x)) { (min($0.0, $1.x), max($0.1, $1.x)) }
    let (south, north) = points.reduce((first.y, first.y)) { (min($0.0, $1.y), max($0.1, $1.y)) }
    let columns = min((terminal.width ?? 80) - 4, Self.widest)
    let dots = (across: columns * DotCanvas.dotsAcross - 1, down: Self.highest * DotCanvas.dotsDown - 1)
    // In metres per dot.
    let unit = max((east - west) / Double(dots.across), (north - south) / Double(dots.down))
    guard unit > 0, unit.isFinite else { return [] }
    let height = Int((north - south) / unit) / DotCanvas.dotsDown + 1
    var canvas = DotCanvas(width: Int((east - west) / unit) / DotCanvas.dotsAcross + 1, height: height)
    func place(_ point: (x: Double, y: Double)) -> (x: Double, y: Double) {
      ((point.x - west) / unit, (north - point.y) / unit)
    }
    for (start, end) in zip(points, points.dropFirst()) { canvas.line(from: place(start), to: place(end)) }
    let letters = letters
    for (letter, point) in [(letters.start, place(first)), (letters.end, place(last))] {
      canvas.letter(letter, x: Int(point.x.rounded()), y: Int(point.y.rounded()))
    }
    return canvas.lines(isUnicode: terminal.showsUnicode).map { "  \($0)" } + [
      "  " + legend(letters, cell: unit * Double(DotCanvas.dotsAcross), columns: columns, terminal)
    ]
  }

  /// Positions in metres east and north of the first point. The projection is accurate enough for a trip.
  private var metres: [(x: Double, y: Double)] {
    guard let first = route.first else { return [] }
    let north = Coordinate(latitude: first.latitude + (first.latitude > 0 ? -0.01 : 0.01), longitude: first.longitude)
    let east = Coordinate(latitude: first.latitude, longitude: first.longitude + (first.longitude > 0 ? -0.01 : 0.01))
    let perDegree = (
      x: Geodesic.distanceMeters(from: first, to: east) * 100, y: Geodesic.distanceMeters(from: first, to: north) * 100
    )
    return route.map { point in
      // A route may cross the 180th meridian.
      var degrees = point.longitude - first.longitude
      if degrees > 180 { degrees -= 360 } else if degrees < -180 { degrees += 360 }
      return (degrees * perDegree.x, (point.latitude - first.latitude) * perDegree.y)
    }
  }

  /// Letters for the two ends: the initials of the place names if they are different ASCII letters, otherwise A and B.
  private var letters: (start: Character, end: Character) {
    if let start = names.start?.first, let end = names.end?.first, start != end,
      "\(start)\(end)".allSatisfy({ $0.isASCII && $0.isLetter })
    {
      return (start, end)
    }
    return ("A", "B")
  }

  /// Returns a legend such as `H Home   O Office   ├─── 3 km ───┤`.
  private func legend(
    _ letters: (start: Character, end: Character), cell: Double, columns: Int, _ terminal: Terminal
  ) -> String {
    let ends = "\(letters.start) \(names.start ?? "start")   \(letters.end) \(names.end ?? "end")   "
    let room = columns - ends.columns
    let scale = scale(cell: cell, atMost: max(room, columns / 3), isUnicode: terminal.showsUnicode)
    return ends + (scale.columns <= room ? scale : "")
  }

  /// Returns a scale bar of round length. `cell` is the width of a column in metres, and `columns` the maximum width.
  private func scale(cell: Double, atMost columns: Int, isUnicode: Bool) -> String {
    let widest = cell * Double(min(columns, 24))
    // Labels for short bars are in metres or feet instead of kilometres or miles.
    let unit = widest < units.metresOfUnit ? (units == .metric ? 1 : Units.metresOfFoot) : units.metresOfUnit
    let most = widest / unit
    var number = 1.0
    while number * 10 <= most { number *= 10 }
    number *= number * 5 <= most ? 5 : number * 2 <= most ? 2 : 1
    let name = unit == units.metresOfUnit ? (units == .metric ? "km" : "mi") : units == .metric ? "m" : "ft"
    let (length, label) = (number * unit, "\(Int(number)) \(name)")
    let (left, middle, right) = isUnicode ? ("├", "─", "┤") : ("|", "-", "|")
    let inside = Int((length / cell).rounded()) - 2
    let around = inside - label.count - 2
    if around >= 2 {
      let before = String(repeating: middle, count: around / 2)
      return "\(left)\(before) \(label) \(String(repeating: middle, count: around - around / 2))\(right)"
    }
    return "\(left)\(String(repeating: middle, count: max(inside, 0)))\(right) \(label)"
  }
}
