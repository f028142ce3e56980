import TrendyFoundation
import TrendyModels

/// Reads one month of the "Semantic Location History" from a Google Takeout archive:
/// `{"timelineObjects":[{"placeVisit":{…}},{"activitySegment":{…}}]}`.
enum GoogleMonths {
  static let array = "timelineObjects"

  static func read(_ input: ByteInput, _ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    try JSONElements.read(input, arrays: [array]) { _, index, bytes in
      let place = "\(array)[\(index)]"
      guard let value = JSONValue(element: bytes) else {
        return try body(.bad(reason: "invalid JSON"), place)
      }
      if let visit = value["placeVisit"] { try take(visit: visit, options, at: place, body) }
      if let segment = value["activitySegment"] { try take(segment: segment, options, at: place, body) }
      if value["placeVisit"] == nil, value["activitySegment"] == nil {
        try body(.bad(reason: "unknown kind of object"), place)
      }
    }
  }

  private static func take(
    visit: JSONValue, _ options: ImportOptions, at place: String, _ body: InterchangeFormat.Handler
  ) throws {
    guard let span = try span(visit["duration"], options, place, body) else { return }
    var check = FieldCheck()
    let location = visit["location"]
    let candidate = visit["otherCandidateLocations"]?.arrayValue?.first
    let stay = GoogleStory.Stay(
      placeId: (location?["placeId"] ?? candidate?["placeId"])?.stringValue,
      coordinate: check.read("location", location) { GoogleField.coordinate($0) } ?? GoogleField.coordinate(
        visit, "centerLatE7", "centerLngE7")
        ?? GoogleField.coordinate(candidate),
      name: location?["name"]?.stringValue, address: location?["address"]?.stringValue,
      meaning: location?["semanticType"]?.stringValue)
    guard stay.coordinate != nil || stay.placeId != nil else {
      return try body(.bad(reason: "the visit has no coordinates"), place)
    }
    try check.report(at: place, body)
    try body(.event(GoogleStory.event(stay, span)), place)
    let inner = visit["childVisits"]?.arrayValue?.count ?? 0
    if inner > 0 { try body(.skip(what: "nested visit", count: inner), place) }
    let path = try fixes(visit["simplifiedRawPath"], place, body)
    if !path.isEmpty { try body(.path(path, source: GoogleStory.source), place) }
  }

  private static func take(
    segment: JSONValue, _ options: ImportOptions, at place: String, _ body: InterchangeFormat.Handler
  ) throws {
    guard let span = try span(segment["duration"], options, place, body) else { return }
    let path = try fixes(segment["simplifiedRawPath"], place, body)
    // Use waypoints only for the route, because they follow roads and have no timestamps.
    let drawn = segment["waypointPath"]?["waypoints"]?.arrayValue ?? []
    var check = FieldCheck()
    var way = GoogleStory.Way(
      activity: GoogleActivity(activity(segment)),
      start: check.read("startLocation", segment["startLocation"]) { GoogleField.coordinate($0) },
      end: check.read("endLocation", segment["endLocation"]) { GoogleField.coordinate($0) },
      distance: check.number("distance", in: segment))
    way.path =
      path.isEmpty ? drawn.compactMap { GoogleField.coordinate($0, "latE7", "lngE7") } : path.map(\.coordinate)
    if way.distance == nil { way.distance = segment["waypointPath"]?["distanceMeters"]?.number }
    try check.report(at: place, body)
    for (name, value) in segment.objectValue ?? [:] where !members.contains(name) {
      let isContainer = value.objectValue != nil || value.arrayValue != nil
      if isContainer { try body(.skip(what: "unknown member '\(name.prefix(40))' of a journey"), place) }
    }
    try body(.event(GoogleStory.event(way, span)), place)
    if !path.isEmpty { try body(.path(path, source: GoogleStory.source), place) }
  }

  /// Returns the confirmed activity, else the most likely one, else the travel mode of the route.
  private static func activity(_ segment: JSONValue) -> String? {
    if let word = segment["activityType"]?.stringValue { return word }
    let likely = segment["activities"]?.arrayValue?.max { left, right in
      (left["probability"]?.number ?? 0) < (right["probability"]?.number ?? 0)
    }
    if let word = likely?["activityType"]?.stringValue, likely?["probability"]?.number ?? 0 > 0 { return word }
    switch segment["waypointPath"]?["travelMode"]?.stringValue {
    case "WALK": return "WALKING"
    case "BICYCLE": return "CYCLING"
    case "DRIVE": return "IN_VEHICLE"
    default: return nil
    }
  }

  /// Members of a journey that contain other values.
  private static let members: Set<String> = [
    "activities", "confidence", "distance", "duration", "editActionMetadata", "endLocation", "parkingEvent",
    "simplifiedRawPath", "startLocation", "transitPath", "waypointPath",
  ]

  private static func fixes(
    _ path: JSONValue?, _ place: String, _ body: InterchangeFormat.Handler
  ) throws -> [Location] {
    var fixes: [Location] = []
    if path != nil, path?["points"]?.arrayValue == nil {
      try body(.bad(reason: "the path has no points"), "\(place).simplifiedRawPath")
    }
    for (index, point) in (path?["points"]?.arrayValue ?? []).enumerated() {
      guard let coordinate = GoogleField.coordinate(point, "latE7", "lngE7"),
        let time = (point["timestamp"] ?? point["timestampMs"])?.moment
      else {
        try body(.bad(reason: "a point has no coordinates or no time"), "\(place).simplifiedRawPath.points[\(index)]")
        continue
      }
      var check = FieldCheck()
      let accuracy = check.number("accuracyMeters", in: point) ?? -1
      try check.report(at: "\(place).simplifiedRawPath.points[\(index)]", body)
      fixes.append(
        Location(coordinate: coordinate, horizontalAccuracy: accuracy > 0 ? accuracy : -1, timestamp: time))
    }
    return fixes
  }

  private static func span(
    _ duration: JSONValue?, _ options: ImportOptions, _ place: String, _ body: InterchangeFormat.Handler
  ) throws -> GoogleStory.Span? {
    func moment(_ name: String) -> Date? { (duration?["\(name)Timestamp"] ?? duration?["\(name)TimestampMs"])?.moment }
    return try GoogleStory.Span.read(moment("start"), moment("end"), zone: options.zone.name, at: place, body)
  }
}

extension JSONValue {
  init?(element: UnsafeBufferPointer<UInt8>) {
    guard let value = try? WireJSON.decode(JSONValue.self, from: Data(element)) else { return nil }
    self = value
  }
}
