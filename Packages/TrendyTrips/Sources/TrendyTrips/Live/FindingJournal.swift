public import TrendyModels

/// Where trips and visits that were found are written: a device's own record, or a person's at a hub.
///
/// Each call is durable when it returns. A call that failed half-way is made again with the same content.
public protocol FindingJournal: Sendable {
  /// The person's places.
  func geofences() throws -> [Geofence]
  /// How long a stop ends a trip, as the person set it.
  func tripStop() throws -> TripStop
  /// The type that trips are recorded as; made where there is none.
  func tripTypeId() throws -> String
  /// `nil` for what is not there, never was or was deleted.
  func event(id: String) throws -> Event?
  /// An event that tells of the same thing as one that was found in a recording, under another id.
  func twin(of event: Event) throws -> String?
  /// An event by which another source told of a trip that was now found in fixes: of more than half of the longer one's time, and not
  /// one that was found here.
  func told(_ trip: Event) throws -> String?
  /// - Returns: `false` for an id that was deleted, which nothing brings back.
  func create(_ event: Event) throws -> Bool
  /// Writes the fields in which the two differ.
  /// - Returns: `false` where the event is not as `held` any more, or gone: somebody changed it meanwhile, and nothing is written.
  func update(_ event: Event, from held: Event) throws -> Bool
  /// - Returns: as ``update(_:from:)``.
  func delete(_ held: Event) throws -> Bool
  /// What the person's own rules say of a trip that is new: its car, whether it was business. `device` recorded it.
  func completed(_ trip: Event, device: String) throws -> Event
}

extension FindingJournal {
  /// A journal into which nobody imports recordings has none.
  public func twin(of event: Event) throws -> String? { nil }
  public func told(_ trip: Event) throws -> String? { nil }
  public func completed(_ trip: Event, device: String) throws -> Event { trip }
}

extension Geofence {
  /// Whether a stop there does not end a trip.
  public var isSkipPlace: Bool { isActive && role == "skip" }
}
