public import TrendyModels

/// Destination of detected events: a device's own store, or one user's record at a hub.
///
/// Writes are durable when the call returns. The caller repeats a failed call with the same arguments, so all
/// implementations must be idempotent.
public protocol DetectedEventStore: Sendable {
  /// Returns all of the user's places, active or not.
  func geofences() throws -> [Geofence]
  /// Returns the user's setting for the length of a stop that ends a trip.
  func tripStop() throws -> TripStop
  /// Returns the id of the event type for trips. Creates the type if it does not exist.
  func tripTypeId() throws -> String
  /// Returns an event, or `nil` if the event never existed or was deleted.
  func event(id: String) throws -> Event?
  /// Returns the id of an existing event that duplicates an event detected in a recording, or `nil`.
  ///
  /// Such a duplicate exists if the track was imported before in another file format (see `Event.isTwin(of:)`).
  func twin(of event: Event) throws -> String?
  /// Returns the id of an imported event that describes the same trip as a newly detected trip, or `nil`.
  ///
  /// The two events overlap by more than half of the longer one. Events created by detection are not considered.
  func told(_ trip: Event) throws -> String?
  /// Creates a detected event.
  ///
  /// - Returns: `false` if an event with this id was deleted, because deleted ids are never reused.
  func create(_ event: Event) throws -> Bool
  /// Writes the fields that differ between `held` and `event`.
  ///
  /// - Returns: `false`, without writing, if the stored event no longer equals `held` or was deleted.
  func update(_ event: Event, from held: Event) throws -> Bool
  /// Deletes a detected event.
  ///
  /// - Returns: `false`, without deleting, if the stored event no longer equals `held`.
  func delete(_ held: Event) throws -> Bool
  /// Returns a newly detected trip with the vehicle and category that the user's rules assign to it. `device` is the
  /// device that recorded it.
  func completed(_ trip: Event, device: String) throws -> Event
}

extension DetectedEventStore {
  /// Returns `nil`: by default a store contains no imported recordings.
  public func twin(of event: Event) throws -> String? { nil }
  /// Returns `nil`: by default a store contains no imported events.
  public func told(_ trip: Event) throws -> String? { nil }
  /// Returns the trip unchanged.
  public func completed(_ trip: Event, device: String) throws -> Event { trip }
}

extension Geofence {
  /// Whether a stop at this place pauses a trip without ending it.
  public var isSkipPlace: Bool { isActive && role == "skip" }
}
