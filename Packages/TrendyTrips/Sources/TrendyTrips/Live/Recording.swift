import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// Imported track, stored in the track log as a device that will send no more readings.
///
/// The device name consists of the time and position of the first fix. A track therefore has the same name regardless
/// of how often and in which format it is imported, and a longer copy of the track extends the recording. The ids of
/// the trips depend on this track alone, not on the rest of the track log.
public struct Recording: Hashable, Sendable {
  /// Device name of the readings in the track log.
  public let device: String
  /// Fixes and motion samples in order of time. A motion sample precedes a fix with the same timestamp.
  public let readings: [TrackReading]

  /// Creates a recording from the fixes and motion samples of a file.
  ///
  /// - Returns: `nil` if no fix has both a valid position and a valid time.
  public init?(
    fixes: some Sequence<Location>, motion: some Sequence<MotionActivity> = EmptyCollection<MotionActivity>()
  ) {
    let fixes = fixes.compactMap(\.checked)
    guard let first = fixes.min(by: { Self.order($0) < Self.order($1) }) else { return nil }
    device = Self.prefix + Self.name(first)
    let readings = motion.map { TrackReading.motion($0) } + fixes.map { TrackReading.fix($0) }
    self.readings = readings.enumerated().sorted {
      ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset)
    }.map(\.element)
  }

  /// Creates a recording from all readings sent by a device, to detect events as if no more readings followed.
  public init(device: String, readings: [TrackReading]) {
    self.device = device
    self.readings = readings
  }

  /// Returns whether a device name belongs to an imported recording rather than a device that may send more readings.
  public static func isRecording(device: String) -> Bool { device.hasPrefix(prefix) }

  /// Returns the trips and visits in the recording in order of time, without writing anything.
  ///
  /// The result equals the events that detection would write to an empty store.
  public func events(geofences: [Geofence], tripTypeId: String, stop: TripStop) -> [Event] {
    var machine = DetectionStateMachine(device: device)
    machine.update(geofences: geofences, stop: stop)
    var found = DetectionResult(
      geofences: Dictionary(geofences.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }))
    for reading in readings {
      for effect in machine.take(reading) { found.take(effect, at: reading.timestamp) }
    }
    for effect in machine.finish() { found.take(effect, at: nil) }
    found.takeOpen(machine.openVisits)
    return found.byKey.values.compactMap { $0.event ?? $0.record?.event(eventTypeId: tripTypeId, device: device) }
      .sorted { ($0.timestamp, $0.id) < ($1.timestamp, $1.id) }
  }

  private static let prefix = "recording "

  /// Returns the time and position of a fix. The position is rounded to about 1 m, because formats round it
  /// differently.
  static func name(_ first: Location) -> String {
    let place = [first.coordinate.latitude, first.coordinate.longitude].map { "\(($0 * 1e5).rounded() / 1e5)" }
    return "\(RFC3339.string(from: first.timestamp)) \(place.joined(separator: " "))"
  }

  private static func order(_ fix: Location) -> (Date, Double, Double) {
    (fix.timestamp, fix.coordinate.latitude, fix.coordinate.longitude)
  }
}
