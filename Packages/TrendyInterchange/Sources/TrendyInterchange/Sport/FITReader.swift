import TrendyFoundation
import TrendyModels

/// Reads FIT activity files. Each session becomes a workout with the fixes from its records.
enum FITReader {
  private static let limit = 64 << 20

  static func read(_ input: ByteInput, _ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    guard let bytes = try input.rest(limit: limit) else {
      throw InterchangeError.unreadable(reason: "larger than \(limit >> 20) MB, the maximum for an activity")
    }
    var messages = FITMessages(bytes, numbers: FITActivity.numbers)
    var activity = FITActivity()
    while let item = messages.next() {
      switch item {
      case .message(let message): activity.take(message)
      case .end(let problem, let offset):
        let taken = try activity.give(options, body)
        if let problem {
          let reason = "byte \(offset): \(problem)"
          guard taken else { throw InterchangeError.unreadable(reason: reason) }
          try body(.bad(reason: reason), "the file")
        }
        activity = FITActivity()
      }
    }
  }
}

/// Collects the messages of one file. Message and field numbers are defined in Garmin's profile.
private struct FITActivity {
  /// Global numbers of the messages file_id, session, record and activity.
  static let numbers: Set<Int> = [0, 18, 20, 34]
  /// Seconds from 1970 to the FIT epoch, 1989-12-31T00:00:00Z.
  private static let epoch = 631_065_600.0
  /// Smallest absolute timestamp. Smaller values are seconds since the device was switched on.
  private static let firstTime: UInt32 = 0x1000_0000

  private var kind: Int?
  private var serial = ""
  private var created = ""
  private var fixes: [Location] = []
  private var pointsWithoutTime = 0
  private var pointsOffEarth = 0
  private var pointsWithoutPlace = 0
  private var firstRecord: Date?
  private var lastRecord: Date?
  /// Distance in metres at the last record that contains a distance.
  private var distance: Double?
  private var sessions: [Session] = []
  private var secondsFromGMT: Int?

  private struct Session {
    var start: Date
    var end: Date
    var sport: Int?
    var subSport: Int?
    /// Duration without pauses, in seconds.
    var duration: Double?
    /// Distance in metres.
    var distance: Double?
    /// Energy in kilocalories.
    var energy: Double?
  }

  mutating func take(_ message: FITMessages.Message) {
    switch message.number {
    case 0:
      kind = kind ?? message.values[0].map { Int($0) }
      // Use the first message, because some devices repeat it in the middle of the file.
      if serial.isEmpty, let value = message.values[3] { serial = "\(UInt64(value))" }
      if created.isEmpty, let value = message.values[4] { created = "\(UInt64(value))" }
    case 18: takeSession(message)
    case 20: takeRecord(message)
    default:
      if let local = message.values[5], let time = message.timestamp {
        let offset = ((local - Double(time)) / 900).rounded() * 900
        if abs(offset) <= 14 * 3600 { secondsFromGMT = Int(offset) }
      }
    }
  }

  private static func date(_ seconds: Double?) -> Date? {
    seconds.flatMap { $0 >= Double(firstTime) ? Date(timeIntervalSince1970: $0 + epoch) : nil }
  }

  private mutating func takeSession(_ message: FITMessages.Message) {
    let values = message.values
    let stamp = Self.date(message.timestamp.map { Double($0) })
    let elapsed = values[7].map { $0 / 1000 }
    guard let start = Self.date(values[2]) ?? stamp.map({ $0.addingTimeInterval(-(elapsed ?? 0)) }) else { return }
    let end = elapsed.map { start.addingTimeInterval($0) } ?? stamp ?? start
    sessions.append(
      Session(
        start: start, end: max(start, end), sport: values[5].map { Int($0) }, subSport: values[6].map { Int($0) },
        duration: values[8].map { $0 / 1000 } ?? elapsed, distance: values[9].map { $0 / 100 }, energy: values[11]))
  }

  private mutating func takeRecord(_ message: FITMessages.Message) {
    let values = message.values
    guard let time = Self.date(message.timestamp.map { Double($0) }) else {
      pointsWithoutTime += 1
      return
    }
    firstRecord = min(firstRecord ?? time, time)
    lastRecord = max(lastRecord ?? time, time)
    if let metres = values[5] { distance = metres / 100 }
    guard let latitude = values[0], let longitude = values[1] else {
      pointsWithoutPlace += 1
      return
    }
    let degrees = 180 / 2_147_483_648.0
    let coordinate = Coordinate(latitude: latitude * degrees, longitude: longitude * degrees)
    guard coordinate.isValid else {
      pointsOffEarth += 1
      return
    }
    fixes.append(
      Location(
        coordinate: coordinate, horizontalAccuracy: values[31] ?? -1, timestamp: time,
        altitude: (values[78] ?? values[2]).map { $0 / 5 - 500 }, speed: (values[73] ?? values[6]).map { $0 / 1000 }))
  }

  mutating func give(_ options: ImportOptions, _ body: InterchangeFormat.Handler) throws -> Bool {
    if let kind, kind != 4 {
      try body(.skip(what: "FIT file of \(Self.kinds[kind] ?? "unknown kind \(kind)")"), "the file")
      return true
    }
    if pointsWithoutTime > 0 { try body(.skip(what: "record without a time", count: pointsWithoutTime), "the file") }
    if pointsOffEarth > 0 {
      try body(.skip(what: "point with invalid coordinates", count: pointsOffEarth), "the file")
    }
    // An indoor activity has no positions at all.
    if pointsWithoutPlace > 0, !fixes.isEmpty {
      try body(.skip(what: "record without a position", count: pointsWithoutPlace), "the file")
    }
    if sessions.isEmpty, let firstRecord, let lastRecord {
      // Import the file even without a session, because the device may have lost power before it wrote one.
      sessions = [Session(start: firstRecord, end: lastRecord, distance: distance)]
    }
    let tracks = separatedTracks()
    for (index, session) in sessions.enumerated() {
      // Sport 3 is the transition between two sports of a multisport activity.
      if session.sport == 3 {
        try body(.skip(what: "transition between sports"), "session \(index + 1)")
        continue
      }
      try body(.event(event(session, tracks.ofSessions[index], options)), "session \(index + 1)")
    }
    if !sessions.isEmpty, !tracks.others.isEmpty {
      try body(.path(tracks.others, source: "FIT \(serial) \(created)"), "the file")
    }
    return !sessions.isEmpty
  }

  /// Assigns each fix to the last session that started before it. Fixes in transitions or outside all sessions are
  /// returned separately.
  private func separatedTracks() -> (ofSessions: [[Location]], others: [Location]) {
    guard sessions.count > 1 else { return ([fixes], []) }
    var ofSessions = [[Location]](repeating: [], count: sessions.count)
    var others: [Location] = []
    for fix in fixes {
      let holding = sessions.indices.filter { fix.timestamp >= sessions[$0].start && fix.timestamp <= sessions[$0].end }
      let last = holding.max { (sessions[$0].start, $0) < (sessions[$1].start, $1) }
      if let last, sessions[last].sport != 3 { ofSessions[last].append(fix) } else { others.append(fix) }
    }
    return (ofSessions, others)
  }

  private func event(_ session: Session, _ track: [Location], _ options: ImportOptions) -> ExternalEvent {
    var workout = ExternalWorkout(
      key: ["fit", serial, created, "\(Int64(session.start.timeIntervalSince1970))"], start: session.start,
      end: session.end)
    workout.activity = activity(session)
    workout.duration = session.duration
    workout.distance = session.distance
    workout.energy = session.energy
    workout.zone = options.zoneName(secondsFromGMT: secondsFromGMT, at: session.start)
    workout.track = track
    return workout.event
  }

  private func activity(_ session: Session) -> String? {
    if let subSport = session.subSport, let name = Self.subSports[subSport] { return name }
    return session.sport.flatMap { Self.sports[$0] }
  }

  private static let kinds: [Int: String] = [
    1: "a device", 2: "settings", 3: "a sport's settings", 5: "a planned workout", 6: "a planned course",
    7: "a schedule", 9: "weight", 10: "totals", 11: "goals", 14: "blood pressure", 15: "monitoring",
    20: "a summary of activities", 28: "daily monitoring", 32: "monitoring", 34: "a segment", 35: "segments",
  ]

  private static let sports: [Int: String] = [
    1: "Running", 2: "Cycling", 4: "Fitness equipment", 5: "Swimming", 6: "Basketball", 7: "Soccer", 8: "Tennis",
    9: "American football", 10: "Training", 11: "Walking", 12: "Cross-country skiing", 13: "Alpine skiing",
    14: "Snowboarding", 15: "Rowing", 16: "Mountaineering", 17: "Hiking", 18: "Multisport", 19: "Paddling",
    20: "Flying", 21: "E-biking", 22: "Motorcycling", 23: "Boating", 24: "Driving", 25: "Golf", 26: "Hang gliding",
    27: "Horseback riding", 28: "Hunting", 29: "Fishing", 30: "Inline skating", 31: "Rock climbing", 32: "Sailing",
    33: "Ice skating", 34: "Sky diving", 35: "Snowshoeing", 36: "Snowmobiling", 37: "Stand-up paddleboarding",
    38: "Surfing", 39: "Wakeboarding", 40: "Water skiing", 41: "Kayaking", 42: "Rafting", 43: "Windsurfing",
    44: "Kitesurfing", 47: "Boxing", 48: "Floor climbing", 53: "Diving",
  ]

  /// Sub-sports whose names are more specific than the name of the sport.
  private static let subSports: [Int: String] = [
    15: "Elliptical", 16: "Stair climbing", 19: "Flexibility training", 20: "Strength training", 26: "Cardio training",
    43: "Yoga", 44: "Pilates",
  ]
}
