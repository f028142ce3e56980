import AppContainer
import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyAgent
import TrendyInterchange
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// Which fixes are to be written, as the options of `export` say it.
struct TrackExport {
  static let options = [
    OptionSpec(
      "--trip", value: "id", kind: .trip, repetition: .allCount, help: "tracks: the fixes of this trip"),
    OptionSpec("--day", value: "day", kind: .time, help: "tracks: those of this day"),
    OptionSpec("--vehicle", value: "name", kind: .vehicle, help: "tracks: those of its trips"),
    OptionSpec("--all", help: "tracks: every fix that is kept here"),
  ]

  /// Seconds without a fix that end a segment.
  private static let gap: TimeInterval = 300
  /// Fixes of a segment, so that memory does not grow with the track.
  private static let longestSegment = 20_000

  private let tripIDs: [String]
  private let vehicleName: String?
  /// `nil` for all of time.
  private let range: Range<Date>?

  init(_ session: Session) throws {
    let arguments = session.arguments
    tripIDs = arguments.all("--trip")
    vehicleName = arguments.value("--vehicle")
    if let day = try session.date(option: "--day", .since) {
      let end = try session.date(option: "--day", .until)
      range = day..<(end ?? day)
    } else {
      range = try session.range()
    }
    guard !tripIDs.isEmpty || vehicleName != nil || range != nil || arguments.has("--all") else {
      throw session.usageError(
        "Which fixes? All of them is --all", hint: "--trip ID, --day 2026-11-20, --since 7d, --vehicle Van.")
    }
  }

  /// - Returns: how many fixes were written.
  func write(
    _ writer: inout any TrackStreamWriter, of container: AppContainer, to put: (String) throws -> Void
  ) throws -> Int {
    try put(writer.beginning())
    var count = 0
    for part in try parts(of: container) {
      var segment: [Location] = []
      func flush() throws {
        guard !segment.isEmpty else { return }
        count += segment.count
        try put(writer.segment(segment, name: part.name))
        segment.removeAll(keepingCapacity: true)
      }
      try container.record.forEachFix(of: part.device, in: part.range) { fix in
        if let last = segment.last,
          fix.timestamp.timeIntervalSince(last.timestamp) > Self.gap || segment.count >= Self.longestSegment
        {
          try flush()
        }
        segment.append(fix)
      }
      try flush()
    }
    try put(writer.ending())
    return count
  }

  private struct Part {
    var device: String
    var name: String
    /// Both ends count.
    var range: ClosedRange<Date>
  }

  private func parts(of container: AppContainer) throws -> [Part] {
    let record = container.record
    guard tripIDs.isEmpty, vehicleName == nil else { return try tripParts(of: container) }
    let first = range?.lowerBound ?? .distantPast
    // The end of a day is the beginning of the next.
    let last = range.map { max($0.lowerBound, $0.upperBound.addingTimeInterval(-0.000_5)) } ?? .distantFuture
    return try record.trackDevices().map { Part(device: $0.name, name: $0.name, range: first...last) }
  }

  private func tripParts(of container: AppContainer) throws -> [Part] {
    let store = container.makeStore()
    let lookup = Lookup(store: store)
    var trips = try tripIDs.map { try lookup.trip($0) }
    if let vehicleName {
      let vehicle = try lookup.vehicle(vehicleName)
      trips += try store.trips(in: range).filter { $0.vehicleId == vehicle.id }
    }
    let intake = container.record.hasTracks ? try container.record.makeTrackIntake() : nil
    return try trips.compactMap { trip in
      let end = max(trip.start, trip.end)
      if let found = try intake?.explanation(eventId: trip.event.id) {
        return Part(device: found.device, name: ShortID.of(trip.event.id), range: trip.start...end)
      }
      guard tripIDs.isEmpty else {
        throw CommandError(
          "No fixes of \(ShortID.of(trip.event.id)) are kept here",
          hint: "It was recorded by hand, or found on another device: export it there.", exit: .notFound)
      }
      return nil
    }
  }
}
