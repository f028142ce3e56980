import TrendyFoundation
import TrendyModels

/// Reads the Google Maps Timeline as exported by a phone.
///
/// Android writes an object with `semanticSegments`, whereas iOS writes an array of the same elements with different
/// spellings of keys and values. The reader accepts either spelling in either structure.
enum GoogleTimeline {
  static let kinds = ["visit", "activity", "timelinePath", "timelineMemory"]

  static func isBeginning(_ outline: JSONOutline, isArray: Bool) -> Bool {
    if isArray { return outline.members["startTime"] != nil && kinds.contains { outline.members[$0] != nil } }
    return outline.members["semanticSegments"] != nil || outline.members["rawSignals"] != nil
  }

  static func read(_ input: ByteInput, _ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    var reader = GoogleTimelineReader(options: options)
    do {
      let others = try JSONElements.read(input, arrays: ["", "semanticSegments", "rawSignals"]) { array, index, bytes in
        let place = array.isEmpty ? "[\(index)]" : "\(array)[\(index)]"
        guard let value = JSONValue(element: bytes) else { return try body(.bad(reason: "invalid JSON"), place) }
        if array == "rawSignals" {
          try reader.take(signal: value, at: place, body)
        } else {
          try reader.take(segment: value, at: place, body)
        }
      }
      for name in others where name != "userLocationProfile" {
        try body(.bad(reason: "unknown member '\(name.prefix(40))'"), "the file")
      }
    } catch {
      try reader.finish(body)
      throw error
    }
    try reader.finish(body)
  }
}

/// Assigns path points, which the file contains in two-hour blocks, to the journeys during which they were recorded.
private struct GoogleTimelineReader {
  let options: ImportOptions
  /// Recent points that may belong to journeys later in the file.
  private var points: [(time: Date, coordinate: Coordinate)] = []
  /// Journeys that may receive more points.
  private var waiting: [(way: GoogleStory.Way, span: GoogleStory.Span, place: String)] = []
  /// Duration of a block of points. Blocks start at an even hour.
  private static let block: TimeInterval = 2 * 3600
  private static let pointLimit = 20_000

  init(options: ImportOptions) { self.options = options }

  mutating func take(segment: JSONValue, at place: String, _ body: InterchangeFormat.Handler) throws {
    guard
      var span = try GoogleStory.Span.read(
        segment["startTime"]?.moment, segment["endTime"]?.moment, at: place, body)
    else { return }
    let minutes = segment["startTimeTimezoneUtcOffsetMinutes"]?.number.flatMap { Int(exactly: $0.rounded()) }
    let offset =
      minutes.flatMap { abs($0) <= 840 ? $0 * 60 : nil } ?? GoogleField.offset(of: segment["startTime"]?.stringValue)
    span.zone = options.zoneName(secondsFromGMT: offset, at: span.start)
    try release(before: span.start.addingTimeInterval(-Self.block), body)
    var isAnything = false
    if let visit = segment["visit"] {
      try take(visit: visit, span, at: place, body)
      isAnything = true
    }
    if let activity = segment["activity"] {
      try take(activity: activity, span, at: place, body)
      isAnything = true
    }
    if let path = segment["timelinePath"]?.arrayValue {
      try take(path: path, span, at: place, body)
      isAnything = true
    }
    if segment["timelineMemory"] != nil {
      try body(.skip(what: "trip memory"), place)
    } else if !isAnything {
      try body(.bad(reason: "unknown kind of segment"), place)
    }
  }

  private func take(
    visit: JSONValue, _ span: GoogleStory.Span, at place: String, _ body: InterchangeFormat.Handler
  ) throws {
    var check = FieldCheck()
    guard check.number("hierarchyLevel", in: visit) ?? 0 == 0 else {
      return try body(.skip(what: "nested visit"), place)
    }
    let candidate = visit["topCandidate"]
    let stay = GoogleStory.Stay(
      placeId: (candidate?["placeId"] ?? candidate?["placeID"])?.stringValue,
      coordinate: check.read("placeLocation", candidate?["placeLocation"]) { GoogleField.place($0) },
      meaning: candidate?["semanticType"]?.stringValue)
    guard stay.coordinate != nil || stay.placeId != nil else {
      return try body(.bad(reason: "the visit has no coordinates"), place)
    }
    try check.report(at: place, body)
    try body(.event(GoogleStory.event(stay, span)), place)
  }

  private mutating func take(
    activity: JSONValue, _ span: GoogleStory.Span, at place: String, _ body: InterchangeFormat.Handler
  ) throws {
    var check = FieldCheck()
    let way = GoogleStory.Way(
      activity: GoogleActivity(activity["topCandidate"]?["type"]?.stringValue),
      start: check.read("start", activity["start"]) { GoogleField.place($0) },
      end: check.read("end", activity["end"]) { GoogleField.place($0) },
      distance: check.number("distanceMeters", in: activity))
    try check.report(at: place, body)
    waiting.append((way, span, place))
  }

  private mutating func take(
    path: [JSONValue], _ span: GoogleStory.Span, at place: String, _ body: InterchangeFormat.Handler
  ) throws {
    var fixes: [Location] = []
    for (index, point) in path.enumerated() {
      let minutes = point["durationMinutesOffsetFromStartTime"]?.number
      // Treat negative offsets, which some files contain, as 0. Points in the same minute are later spread over that
      // minute.
      let moment =
        point["time"]?.moment
        ?? minutes.map { span.start.addingTimeInterval(min(max(0, $0), 1e7).rounded(.down) * 60) }
      guard let coordinate = GoogleField.place(point["point"]), let moment else {
        try body(.bad(reason: "a point has no coordinates or no time"), "\(place).timelinePath[\(index)]")
        continue
      }
      fixes.append(Location(coordinate: coordinate, horizontalAccuracy: -1, timestamp: moment))
    }
    fixes = Self.spread(fixes)
    guard !fixes.isEmpty else { return }
    points += fixes.map { ($0.timestamp, $0.coordinate) }
    if points.count > Self.pointLimit { points.removeFirst(points.count - Self.pointLimit / 2) }
    try body(.path(fixes, source: GoogleStory.source), place)
  }

  /// Spreads fixes with equal timestamps and different positions over their minute.
  private static func spread(_ fixes: [Location]) -> [Location] {
    var result: [Location] = []
    var start = 0
    while start < fixes.count {
      let end = fixes[start...].firstIndex { $0.timestamp != fixes[start].timestamp } ?? fixes.count
      var run = Array(fixes[start..<end])
      for index in run.indices.reversed() where index > 0 && run[index].coordinate == run[index - 1].coordinate {
        run.remove(at: index)
      }
      for index in run.indices {
        run[index].timestamp.addTimeInterval((Double(index) * 60 / Double(run.count)).rounded(.down))
      }
      result += run
      start = end
    }
    return result
  }

  mutating func take(signal: JSONValue, at place: String, _ body: InterchangeFormat.Handler) throws {
    guard let position = signal["position"] else {
      let kind = signal.objectValue?.keys.min() ?? "signal"
      return try body(.skip(what: "raw signal \(kind.prefix(24))"), place)
    }
    guard let coordinate = GoogleField.place(position["LatLng"] ?? position["latLng"] ?? position["point"]),
      let time = position["timestamp"]?.moment
    else { return try body(.bad(reason: "the position has no coordinates or no time"), place) }
    var check = FieldCheck()
    let accuracy = check.number("accuracyMeters", in: position) ?? -1
    let speed = check.number("speedMetersPerSecond", in: position)
    let fix = Location(
      coordinate: coordinate, horizontalAccuracy: accuracy > 0 ? accuracy : -1, timestamp: time,
      altitude: check.number("altitudeMeters", in: position).flatMap { abs($0) < 1e6 ? $0 : nil },
      speed: speed.flatMap { $0 >= 0 && $0 < 1e5 ? $0 : nil })
    try body(.path([fix], source: GoogleStory.source), place)
    try check.report(at: place, body)
  }

  // MARK: Journeys

  /// Emits the journeys that ended before `limit`, or all journeys if more than 1,000 are waiting.
  private mutating func release(before limit: Date, _ body: InterchangeFormat.Handler) throws {
    guard waiting.contains(where: { $0.span.end < limit }) || waiting.count > 1000 else { return }
    let isAll = waiting.count > 1000
    let ready = waiting.filter { isAll || $0.span.end < limit }
    waiting.removeAll { isAll || $0.span.end < limit }
    for (way, span, place) in ready {
      var way = way
      way.path = points.filter { $0.time >= span.start && $0.time <= span.end }.sorted { $0.time < $1.time }
        .map(\.coordinate)
      try body(.event(GoogleStory.event(way, span)), place)
    }
  }

  mutating func finish(_ body: InterchangeFormat.Handler) throws { try release(before: .distantFuture, body) }
}
