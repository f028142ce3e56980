#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels
import TrendyPersistence
public import TrendyProtocols
import TrendySync
import TrendyTrips

extension DeviceRecord {
  private var tracks: URL { directory.appending(path: "tracks") }

  /// Whether a device ever told something.
  public var hasTracks: Bool { FileManager.default.fileExists(atPath: tracks.path) }

  /// The devices whose fixes lie in the log, by name; none where no device told something.
  public func trackDevices() throws -> [TrackDevice] {
    hasTracks ? try TrackLog(directory: tracks).devices() : []
  }

  /// How many fixes of a device the log has.
  public func fixCount(of device: String) throws -> Int {
    var count = 0
    try TrackLog(directory: tracks).forEach(device: device, after: nil, through: nil) { reading in
      if case .fix = reading { count += 1 }
    }
    return count
  }

  /// Takes in what devices of this store tell; the first one makes the log.
  public func makeTrackIntake() throws -> TrackIntake {
    try TrackIntake(directory: tracks, journal: RecorderJournal(record: self), clock: clock)
  }
}

/// Writes what was found as the person's own device records it: the event and the mutation that tells the hub.
private struct RecorderJournal: FindingJournal {
  let record: DeviceRecord

  func geofences() throws -> [Geofence] { try record.makeStore().fetchAllGeofences() }

  func tripTypeId() throws -> String { try record.type(.trip).id }

  func event(id: String) throws -> Event? { try record.makeStore().findEvent(id: id) }

  func create(_ event: Event) throws -> Bool {
    // A type that the person deleted takes no new events.
    guard try record.makeStore().findEventType(id: event.eventTypeId) != nil else { return false }
    return try record.recorder.record(event)
  }

  func update(_ event: Event, from held: Event) throws {
    guard let request = event.updateRequest(from: held) else { return }
    do {
      try record.recorder.edit(eventId: event.id) { $0.apply(request) }
    } catch RecorderError.notHeld {
      // The person deleted it just now.
    }
  }

  func delete(eventId: String) throws { try record.recorder.delete(eventId: eventId) }

  func completed(_ trip: Event, device: String) throws -> Event { try record.completed(trip, devices: [device]) }
}
