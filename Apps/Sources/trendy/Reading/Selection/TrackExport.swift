import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyInterchange
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// Recorded positions, as selected by options of `trendy export`.
struct TrackExport {
  static let options = [
    OptionSpec(
      "--trip", value: "id", kind: .trip, repetition: .allCount, help: "track formats: only positions of this trip")
  ]

  /// Options for both events and tracks.
  static let shared = [
    OptionSpec("--day", value: "day", kind: .time, help: "only this day"),
    OptionSpec("--vehicle", value: "name", kind: .vehicle, help: "only trips with this vehicle"),
    OptionSpec("--all", help: "track formats: all positions"),
  ]

  /// Returns the range from `--day`, or from `--since` and `--until`, or `nil` without these options.
  static func range(_ session: Session) throws(CommandError) -> Range<Date>? {
    guard let day = try session.date(option: "--day", .since) else { return try session.range() }
    if let other = ["--since", "--until"].first(where: session.arguments.has) {
      throw session.usageError("--day cannot be combined with \(other)")
    }
    return day..<(try session.date(option: "--day", .until) ?? day)
  }

  private let tripIDs: [String]
  private let vehicleName: String?
  /// Time range, or `nil` for all time.
  private let range: Range<Date>?

  init(_ session: Session) throws {
    let arguments = session.arguments
    tripIDs = arguments.all("--trip")
    vehicleName = arguments.value("--vehicle")
    if !tripIDs.isEmpty, let other = ["--day", "--since", "--until"].first(where: arguments.has) {
      throw session.usageError("--trip cannot be combined with \(other)")
    }
    range = try Self.range(session)
    guard !tripIDs.isEmpty || vehicleName != nil || range != nil || arguments.has("--all") else {
      throw session.usageError(
        "No positions selected",
        hint: "Use --trip ID, --day 2026-11-20, --since 7d, --vehicle Van, or --all.")
    }
  }

  /// Counts to report after an export.
  struct Outcome {
    var fixes = 0
    /// Number of the selected vehicle's trips.
    var trips = 0
    /// Number of the selected vehicle's trips for which this device has no positions.
    var tripsWithoutFixes = 0
  }

  /// Passes the selected tracks to `put` as text, in chunks. `onFixes` receives the number of positions after each
  /// segment, and may throw to stop the export.
  func write(
    _ writer: inout any TrackStreamWriter, of container: AppContainer, onFixes: (Int) throws -> Void,
    to put: (String) throws -> Void
  ) throws -> Outcome {
    try put(writer.beginning())
    var (parts, outcome) = try parts(of: container)
    for index in parts.indices {
      let part = parts[index]
      var segmenter = TrackSegmenter()
      func write(_ segment: [Location]?) throws {
        guard let segment else { return }
        parts[index].fixes += segment.count
        try put(writer.segment(segment, name: part.name))
        try onFixes(segment.count)
      }
      try container.record.forEachFix(of: part.device, in: part.range) { try write(segmenter.take($0)) }
      try write(segmenter.finish())
    }
    try put(writer.ending())
    outcome.fixes = parts.reduce(0) { $0 + $1.fixes }
    outcome.tripsWithoutFixes += parts.count { $0.isOfVehicle && $0.fixes == 0 }
    return outcome
  }

  /// Returns a note if the export lacks trips or positions, otherwise `nil`.
  func note(of outcome: Outcome) -> String? {
    if let vehicleName, outcome.trips == 0 {
      return "No trips with '\(vehicleName)'\(range == nil ? "" : " in that time")."
    }
    if let vehicleName, outcome.tripsWithoutFixes > 0 {
      let without = outcome.tripsWithoutFixes
      let which =
        without == outcome.trips
        ? (without == 1 ? "The only trip" : "All \(without) trips") : "\(without) of \(outcome.trips) trips"
      return
        "Skipped: \(which) with '\(vehicleName)' \(without == 1 ? "has" : "have") no recorded positions on this device, because "
        + "\(without == 1 ? "it was" : "they were") added by hand or detected on another device. "
        + "To export \(without == 1 ? "it" : "them"): trendy export mileage --vehicle \(ShellWords.quoted(vehicleName))"
    }
    return outcome.fixes == 0 ? "No recorded positions\(range == nil ? "" : " in that time")." : nil
  }

  private struct Part {
    var device: String
    var name: String
    /// Times of the first and last position, inclusive.
    var range: ClosedRange<Date>
    var isOfVehicle = false
    /// Number of positions written so far.
    var fixes = 0
  }

  private func parts(of container: AppContainer) throws -> ([Part], Outcome) {
    let record = container.record
    guard tripIDs.isEmpty, vehicleName == nil else { return try tripParts(of: container) }
    let first = range?.lowerBound ?? .distantPast
    // The range excludes its end, which is the start of the next day. A closed range must end earlier.
    let last = range.map { max($0.lowerBound, $0.upperBound.addingTimeInterval(-0.000_5)) } ?? .distantFuture
    let parts = try record.trackDevices().map { Part(device: $0.name, name: $0.name, range: first...last) }
    return (parts, Outcome())
  }

  private func tripParts(of container: AppContainer) throws -> ([Part], Outcome) {
    let store = container.makeStore()
    let lookup = Lookup(store: store)
    let intake = container.record.hasTracks ? try container.record.makeTrackIntake() : nil
    func part(_ trip: TripEvent, isOfVehicle: Bool) throws -> Part? {
      guard let found = try intake?.explanation(eventId: trip.event.id) else { return nil }
      return Part(
        device: found.device, name: ShortID.of(trip.event.id), range: trip.start...max(trip.start, trip.end),
        isOfVehicle: isOfVehicle)
    }
    var parts: [Part] = []
    var taken: Set<String> = []
    for trip in try tripIDs.map({ try lookup.trip($0) }) where taken.insert(trip.event.id).inserted {
      guard let part = try part(trip, isOfVehicle: false) else {
        throw CommandError(
          "No recorded positions for trip \(ShortID.of(trip.event.id))",
          hint: "It was added by hand or detected on another device. Export it on that device.", exit: .notFound)
      }
      parts.append(part)
    }
    var outcome = Outcome()
    guard let vehicleName else { return (parts, outcome) }
    let vehicle = try lookup.vehicle(vehicleName)
    for trip in try store.trips(in: range) where trip.vehicleId == vehicle.id {
      outcome.trips += 1
      guard taken.insert(trip.event.id).inserted else { continue }
      if let part = try part(trip, isOfVehicle: true) { parts.append(part) } else { outcome.tripsWithoutFixes += 1 }
    }
    return (parts, outcome)
  }
}
