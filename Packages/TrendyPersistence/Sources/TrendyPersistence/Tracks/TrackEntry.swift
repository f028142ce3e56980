import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// Reading in stored form, as integers in small units.
struct TrackEntry: Hashable {
  /// Kind of a reading. A device has at most one reading per time and slot. Readings with the same time are processed
  /// in slot order.
  enum Slot: UInt8, Comparable {
    case motion
    case fix
    case start
    case end
    case finalize
    case cancel

    static func < (left: Slot, right: Slot) -> Bool { left.rawValue < right.rawValue }
  }

  /// Milliseconds since 1970-01-01T00:00:00Z.
  var time: Int64
  var slot: Slot
  /// Latitude in 1e-7 degrees.
  var latitude: Int64 = 0
  /// Longitude in 1e-7 degrees.
  var longitude: Int64 = 0
  /// Horizontal accuracy in centimetres, or `nil` if unknown.
  var accuracy: Int64?
  /// Altitude in centimetres, or `nil` if unknown.
  var altitude: Int64?
  /// Ground speed in cm/s, or `nil` if unknown.
  var speed: Int64?
  /// Heading in 1/100 degree, or `nil` if unknown.
  var course: Int64?
  /// Motion sample: `state * 3 + confidence`.
  var motion: UInt8 = 0

  /// Converts a reading. Returns `nil` if its position is invalid or its time is outside the years 0 to 9999.
  init?(_ reading: TrackReading) {
    guard let time = Self.milliseconds(reading.timestamp) else { return nil }
    self.time = time
    switch reading {
    case .fix(let fix):
      guard fix.coordinate.isValid else { return nil }
      slot = .fix
      latitude = Int64((fix.coordinate.latitude * 1e7).rounded())
      longitude = Int64((fix.coordinate.longitude * 1e7).rounded())
      accuracy = fix.horizontalAccuracy >= 0 ? Self.hundredths(fix.horizontalAccuracy) : nil
      altitude = fix.altitude.flatMap(Self.hundredths)
      speed = fix.speed.flatMap(Self.hundredths)
      course = fix.course.flatMap(Self.hundredths)
    case .motion(let activity):
      slot = .motion
      motion = Self.code(activity.state) * 3 + UInt8(activity.confidence.rawValue)
    case .call(let call):
      slot =
        switch call.kind {
        case .start: .start
        case .end: .end
        case .finalize: .finalize
        case .cancel: .cancel
        }
    }
  }

  init(time: Int64, slot: Slot) {
    self.time = time
    self.slot = slot
  }

  var reading: TrackReading {
    let timestamp = Self.date(time)
    switch slot {
    case .fix:
      return .fix(
        Location(
          coordinate: Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7),
          horizontalAccuracy: accuracy.map { Double($0) / 100 } ?? -1, timestamp: timestamp,
          altitude: altitude.map { Double($0) / 100 }, speed: speed.map { Double($0) / 100 },
          course: course.map { Double($0) / 100 }))
    case .motion:
      return .motion(
        MotionActivity(
          state: Self.states[Int(motion / 3)], confidence: .init(rawValue: Int(motion % 3)) ?? .low,
          timestamp: timestamp))
    case .start: return .call(TripCommand(kind: .start, timestamp: timestamp))
    case .end: return .call(TripCommand(kind: .end, timestamp: timestamp))
    case .finalize: return .call(TripCommand(kind: .finalize, timestamp: timestamp))
    case .cancel: return .call(TripCommand(kind: .cancel, timestamp: timestamp))
    }
  }

  /// Motion states. Their indexes are part of the file format.
  private static let states: [MotionState] = [.unknown, .stationary, .walking, .running, .cycling, .automotive]
  static let motions = UInt8(states.count * 3)

  private static func code(_ state: MotionState) -> UInt8 { UInt8(states.firstIndex(of: state) ?? 0) }

  static func milliseconds(_ date: Date) -> Int64? {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    // Limits of the years 0 to 9999.
    guard milliseconds >= -62_167_219_200_000, milliseconds < 253_402_300_800_000 else { return nil }
    return Int64(milliseconds)
  }

  static func date(_ milliseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

  /// Maximum absolute value of a stored measurement, in hundredths.
  static let largest: Int64 = 1_000_000_000

  /// Converts a value to hundredths. Returns `nil` if the value is NaN or its magnitude exceeds ten million.
  private static func hundredths(_ value: Double) -> Int64? {
    guard abs(value) * 100 <= Double(largest) else { return nil }
    return Int64((value * 100).rounded())
  }
}

extension TrackEntry: Comparable {
  static func < (left: TrackEntry, right: TrackEntry) -> Bool {
    left.time != right.time ? left.time < right.time : left.slot < right.slot
  }

  func isSameMoment(as other: TrackEntry) -> Bool { time == other.time && slot == other.slot }

  /// Whether this reading replaces another reading with the same time and slot. The more accurate reading wins, then
  /// the reading with more values. The remaining criteria only make the result independent of the order of arrival.
  func isBetter(than other: TrackEntry) -> Bool {
    func rank(_ entry: TrackEntry) -> [Int64] {
      let known = [entry.altitude, entry.speed, entry.course].count { $0 != nil }
      return [
        -(entry.accuracy ?? .max), Int64(known), Int64(entry.motion % 3), Int64(entry.motion), entry.latitude,
        entry.longitude, entry.altitude ?? .min, entry.speed ?? .min, entry.course ?? .min,
      ]
    }
    return rank(other).lexicographicallyPrecedes(rank(self))
  }
}
