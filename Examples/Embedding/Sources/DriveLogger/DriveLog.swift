import Foundation
import Observation
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync
import TrendyTrips

/// Logbook that detects drives and stores each trip with the names of the places where it starts and ends.
///
/// Works without a network. To sync the trips, pass ``stores`` to a `SyncEngine`.
@MainActor @Observable
public final class DriveLog: @MainActor TripCoordinatorDelegate {
  /// Trip in progress.
  public let live = LiveTrip()
  /// Stored trips, newest first.
  public private(set) var trips: [Event] = []
  public nonisolated let stores: any DataStoreFactory

  private let recorder: Recorder
  private let coordinator: TripCoordinator
  private let clock: any TimeSource
  private let stateFile: URL
  /// Trips that have ended but are not stored yet, because a save failed.
  private var unsaved: [TripRecord] = []

  /// Opens the log in a directory and continues a trip that was in progress when the app was terminated.
  public init(
    directory: URL, location: any LocationTrackingServiceProtocol, motion: any MotionActivityHandlerProtocol,
    clock: any TimeSource = SystemTime()
  ) throws {
    stores = try DefaultDataStoreFactory(directory: directory.appending(path: "Store"))
    recorder = Recorder(dataStoreFactory: stores, clock: clock)
    self.clock = clock
    stateFile = directory.appending(path: "trip.json")
    let hasState = FileManager.default.fileExists(atPath: stateFile.path)
    let saved = hasState ? try JSONDecoder().decode(TripTracker.self, from: Data(contentsOf: stateFile)) : nil
    coordinator = TripCoordinator(
      location: location, motion: motion, liveActivity: live, watch: NoWatch(), clock: clock, restoring: saved)
    trips = try stores.makeDataStore().events(in: nil, from: [.trip])
    coordinator.delegate = self
    coordinator.start()
  }

  /// Updates the log every five seconds until the calling task is cancelled.
  public func run() async throws {
    while true {
      try tick(at: clock.now)
      try await clock.sleep(for: .seconds(5))
    }
  }

  /// Ends a trip half an hour after its last movement, stores ended trips, and saves the state of the current one.
  public func tick(at date: Date) throws {
    coordinator.tick(at: date)
    while let trip = unsaved.first {
      try store(trip)
      unsaved.removeFirst()
      trips = try stores.makeDataStore().events(in: nil, from: [.trip])
    }
    try JSONEncoder().encode(coordinator.tracker).write(to: stateFile, options: .atomic)
  }

  /// Adds a place. Trips that start or end within its radius, in metres, are named after it.
  public func addPlace(_ name: String, at center: Coordinate, radius: Double = 150) throws {
    try recorder.record(
      Geofence(
        id: recorder.makeID(), name: name, latitude: center.latitude, longitude: center.longitude, radius: radius))
  }

  private func store(_ trip: TripRecord) throws {
    let types = try stores.makeDataStore().fetchAllEventTypes()
    let places = try stores.makeDataStore().fetchAllGeofences()
    func place(at point: Coordinate) -> String? {
      places.first { Geodesic.distanceMeters(from: $0.coordinate, to: point) <= $0.radius }?.name
    }
    try recorder.inOneSave { changes in
      let type = try BuiltInType.trip.find(among: types) { type, definitions in
        guard try changes.record(type) else { return false }
        for definition in definitions { try changes.record(definition) }
        return true
      }
      guard var event = trip.event(eventTypeId: type.id) else { return }
      event.locationName = place(at: trip.trip.startCoordinate)
      event.notes = trip.trip.endCoordinate.flatMap(place).map { "to \($0)" }
      try changes.record(event)
    }
  }

  public func tripCoordinator(_ coordinator: TripCoordinator, didFinish record: TripRecord) { unsaved.append(record) }
  public func tripCoordinator(_ coordinator: TripCoordinator, didCancel record: TripRecord) {}
}
