import TrendyFoundation
import TrendyModels

/// Reads activities in Garmin's Training Center XML. Each activity becomes a workout with its track. Namespaces are
/// ignored.
enum TCXReader {
  private static let limit = 256 << 20

  /// Whether a file is in TCX format, given the first 64 KiB of the file, or the whole file if it is shorter.
  static func isBeginning(of head: ArraySlice<UInt8>) -> Bool {
    let content = head.withoutLeadingSpace
    guard content.first == UInt8(ascii: "<") else { return false }
    // Only a declaration and comments may precede the root element.
    return content.prefix(4096).split(separator: UInt8(ascii: "<")).contains { tag in
      let name = tag.prefix { !$0.isSpace && $0 != UInt8(ascii: ">") }
      let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
      return local.elementsEqual("TrainingCenterDatabase".utf8)
    }
  }

  /// Passes the activities in the file to `body`.
  ///
  /// - Throws: ``InterchangeError`` with the line and column of a syntax error. The preceding activities have then been
  ///   passed on.
  static func read(_ input: ByteInput, _ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    guard let bytes = try input.rest(limit: limit) else {
      throw InterchangeError.unreadable(reason: "larger than \(limit >> 20) MB")
    }
    var parser = TCXParser(options: options)
    do throws(XMLProblem) {
      var reader = try XMLReader(Array(bytes[...].withoutLeadingSpace))
      while true {
        let event = try reader.next()
        if case .finished = event { break }
        parser.take(event)
      }
    } catch {
      for (record, place) in parser.records { try body(record, place) }
      throw InterchangeError(error, pointsRead: parser.points)
    }
    for (record, place) in parser.records { try body(record, place) }
    if parser.courses > 0 { try body(.skip(what: "planned course", count: parser.courses), "the file") }
  }
}

private struct TCXParser {
  let options: ImportOptions
  private(set) var records: [(InterchangeRecord, String)] = []
  private(set) var points = 0
  private(set) var courses = 0
  private var path: [String] = []
  private var text = ""
  private var activity: Activity?
  private var point: Point?

  private struct Activity {
    var sport: String?
    var id: Date?
    var firstLap: Date?
    var lastLap: Date?
    var lastLapSeconds: Double?
    var seconds: Double?
    var metres: Double?
    var energy: Double?
    var creator = ""
    var notes: String?
    var firstPoint: Date?
    var lastPoint: Date?
    /// Distance in metres at the last point that contains a distance.
    var lastMetres: Double?
    var fixes: [Location] = []
    var pointsWithoutTime = 0
    var pointsOffEarth = 0
    /// Values that are not numbers or times, with the names of their elements.
    var check = FieldCheck()
  }

  private struct Point {
    var hasPlace = false
    var fields = FixFields()
    var metres: Double?
  }

  init(options: ImportOptions) { self.options = options }

  mutating func take(_ event: XMLReader.Event) {
    switch event {
    case .start(let name, let attributes):
      path.append(name)
      text = ""
      switch name {
      case "Activity": activity = Activity(sport: attributes.first { $0.name == "Sport" }?.value)
      case "Lap" where activity != nil:
        let text = attributes.first { $0.name == "StartTime" }?.value
        let start = text.flatMap { FieldText.date(FieldText.trim($0)) }
        if let text, start == nil { activity?.check.report("StartTime", text) }
        if activity?.firstLap == nil { activity?.firstLap = start }
        if let start { activity?.lastLap = start }
        activity?.lastLapSeconds = nil
      case "Trackpoint" where activity != nil: point = Point()
      case "Position": point?.hasPlace = true
      case "Course": courses += 1
      default: break
      }
    case .text(let run): if text.utf8.count < 4096 { text += run }
    case .end(let name):
      end(name)
      path.removeLast()
      text = ""
    case .finished: break
    }
  }

  private var parent: String { path.count > 1 ? path[path.count - 2] : "" }

  /// Returns the number in the current element, and reports any other text.
  private mutating func number(_ name: String) -> Double? {
    let number = FieldText.number(text)
    if number == nil, !FieldText.trim(text).isEmpty { activity?.check.report(name, text) }
    return number
  }

  private mutating func moment(_ name: String) -> Date? {
    let moment = FieldText.date(FieldText.trim(text))
    if moment == nil, !FieldText.trim(text).isEmpty { activity?.check.report(name, text) }
    return moment
  }

  private mutating func end(_ name: String) {
    guard activity != nil else { return }
    if point != nil { return endInPoint(name) }
    switch (parent, name) {
    case ("Activity", "Id"):
      let moment = moment(name)
      activity?.id = moment
    case ("Activity", "Notes"):
      let notes = FieldText.trim(text)
      activity?.notes = notes
    case ("Creator", "Name"):
      let name = FieldText.trim(text)
      activity?.creator = name
    case ("Lap", "TotalTimeSeconds"):
      let number = number(name)
      activity?.lastLapSeconds = number
      activity?.seconds.add(number)
    case ("Lap", "DistanceMeters"):
      let number = number(name)
      activity?.metres.add(number)
    case ("Lap", "Calories"):
      let number = number(name)
      activity?.energy.add(number)
    case (_, "Activity"): finish()
    default: break
    }
  }

  private mutating func endInPoint(_ name: String) {
    switch name {
    case "Time" where parent == "Trackpoint":
      let moment = FieldText.date(FieldText.trim(text))
      point?.fields.time = moment
    case "LatitudeDegrees": point?.fields.latitude = FieldText.number(text)
    case "LongitudeDegrees": point?.fields.longitude = FieldText.number(text)
    case "AltitudeMeters":
      // Some devices write the minimum of a 32-bit number if the altitude is unknown.
      let number = number(name)
      point?.fields.altitude = number.flatMap { abs($0) < 1e5 ? $0 : nil }
    case "DistanceMeters":
      let number = number(name)
      point?.metres = number
    case "Speed":
      let number = number(name)
      point?.fields.speed = number.flatMap { $0 >= 0 && $0 < 1e5 ? $0 : nil }
    case "Trackpoint": finishPoint()
    default: break
    }
  }

  private mutating func finishPoint() {
    defer { point = nil }
    guard let point, var activity else { return }
    self.activity = nil
    defer { self.activity = activity }
    points += 1
    guard let time = point.fields.time else {
      activity.pointsWithoutTime += 1
      return
    }
    activity.firstPoint = min(activity.firstPoint ?? time, time)
    activity.lastPoint = max(activity.lastPoint ?? time, time)
    activity.lastMetres = point.metres ?? activity.lastMetres
    // Skip points without a position, which is missing during pauses and indoors.
    guard let latitude = point.fields.latitude, let longitude = point.fields.longitude,
      case let coordinate = Coordinate(latitude: latitude, longitude: longitude), coordinate.isValid
    else {
      if point.hasPlace { activity.pointsOffEarth += 1 }
      return
    }
    activity.fixes.append(
      Location(
        coordinate: coordinate, horizontalAccuracy: -1, timestamp: time, altitude: point.fields.altitude,
        speed: point.fields.speed))
  }

  private mutating func finish() {
    defer { activity = nil }
    guard let activity else { return }
    let place = "activity \(records.count + 1)"
    guard let start = activity.firstLap ?? activity.id ?? activity.firstPoint else {
      records.append((.bad(reason: "missing or invalid time"), place))
      return
    }
    let lapEnd = activity.lastLap.flatMap { lap in activity.lastLapSeconds.map { lap.addingTimeInterval(max(0, $0)) } }
    let named = Int64((activity.id ?? start).timeIntervalSince1970.rounded(.down))
    var workout = ExternalWorkout(
      key: ["tcx", "\(named)", activity.creator], start: start, end: activity.lastPoint ?? lapEnd ?? start)
    switch activity.sport {
    case "Biking": workout.activity = "Cycling"
    case "Other", nil, "": break
    default: workout.activity = activity.sport
    }
    workout.duration = activity.seconds
    workout.distance = activity.metres ?? activity.lastMetres
    workout.energy = activity.energy
    workout.source = activity.creator
    workout.notes = activity.notes.flatMap { $0.isEmpty ? nil : $0 }
    workout.zone = options.zone.name
    workout.track = activity.fixes
    if activity.pointsWithoutTime > 0 {
      records.append((.skip(what: "point without a time", count: activity.pointsWithoutTime), place))
    }
    if activity.pointsOffEarth > 0 {
      records.append((.skip(what: "point with invalid coordinates", count: activity.pointsOffEarth), place))
    }
    for reason in activity.check.reasons { records.append((.bad(reason: reason), place)) }
    records.append((.event(workout.event), place))
  }
}

extension Double? {
  fileprivate mutating func add(_ other: Double?) {
    guard let other, other >= 0 else { return }
    self = (self ?? 0) + other
  }
}
