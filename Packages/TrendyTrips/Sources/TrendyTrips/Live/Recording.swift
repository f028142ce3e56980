import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// A track that somebody recorded and handed over: in a track log it is a device of its own, which tells nothing more.
///
/// It is called by how it begins. So the same recording is the same device however often it is imported and in whatever form, a longer
/// copy of it goes on with it, and another receiver's of the same hour takes none of its moments. Its trips have the ids that the
/// track alone gives them, whatever else the log holds.
public struct Recording: Hashable, Sendable {
  /// What its readings lie under in a track log.
  public let device: String
  /// Fixes and motion, by time; of one moment the motion comes first.
  public let readings: [TrackReading]

  /// - Returns: `nil` where no fix has both a place and a time.
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

  /// What a device told, as if it told nothing more.
  public init(device: String, readings: [TrackReading]) {
    self.device = device
    self.readings = readings
  }

  /// Whether what is called so is a recording, and no device that may go on.
  public static func isRecording(device: String) -> Bool { device.hasPrefix(prefix) }

  /// The trips and visits in it, as a journal would be given them.
  /// - Parameters:
  ///   - geofences: the person's places.
  ///   - tripTypeId: the type that trips are recorded as.
  ///   - stop: how long a stop ends a trip, as the person set it.
  public func events(geofences: [Geofence], tripTypeId: String, stop: TripStop) -> [Event] {
    var machine = TrackMachine(device: device)
    machine.update(geofences: geofences, stop: stop)
    var found = TrackFindings(
      geofences: Dictionary(geofences.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }))
    for reading in readings {
      for effect in machine.take(reading) { found.take(effect, at: reading.timestamp) }
    }
    for effect in machine.finish() { found.take(effect, at: nil) }
    found.takeOpen(machine.openVisits)
    return found.byKey.values.compactMap { $0.event ?? $0.record?.event(eventTypeId: tripTypeId) }
      .sorted { ($0.timestamp, $0.id) < ($1.timestamp, $1.id) }
  }

  private static let prefix = "recording "

  /// To a metre: forms of one track round its places each in their own way.
  static func name(_ first: Location) -> String {
    let place = [first.coordinate.latitude, first.coordinate.longitude].map { "\(($0 * 1e5).rounded() / 1e5)" }
    return "\(RFC3339.string(from: first.timestamp)) \(place.joined(separator: " "))"
  }

  private static func order(_ fix: Location) -> (Date, Double, Double) {
    (fix.timestamp, fix.coordinate.latitude, fix.coordinate.longitude)
  }
}
