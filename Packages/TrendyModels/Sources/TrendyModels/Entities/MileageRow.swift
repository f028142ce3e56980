public import TrendyFoundation

/// Trip in a mileage log.
public struct MileageRow: Hashable, Sendable {
  public var id: String
  public var start: Date
  public var end: Date
  /// Name or address of the start. If it is empty, the log shows ``startPlace``.
  public var from: String
  /// Name or address of the destination. If it is empty, the log shows ``endPlace``.
  public var to: String
  public var startPlace: Coordinate?
  public var endPlace: Coordinate?
  /// Distance in metres.
  public var distance: Double
  /// Category of the trip (business, private or mixed), or an empty string if the trip is not classified.
  public var category: String
  /// Business part of the distance in metres, or `nil` if the trip is not classified.
  public var business: Double?
  /// Odometer reading at the start in metres, or `nil` if unknown.
  public var startOdometer: Double?
  /// Odometer reading at the end in metres, or `nil` if unknown.
  public var endOdometer: Double?
  public var vehicle: String
  public var notes: String
  /// Time when the trip was recorded, or `nil` if unknown.
  public var recordedAt: Date?

  public init(
    id: String, start: Date, end: Date, from: String = "", to: String = "", startPlace: Coordinate? = nil,
    endPlace: Coordinate? = nil, distance: Double, category: String = "", business: Double? = nil,
    startOdometer: Double? = nil, endOdometer: Double? = nil, vehicle: String = "", notes: String = "",
    recordedAt: Date? = nil
  ) {
    self.id = id
    self.start = start
    self.end = end
    self.from = from
    self.to = to
    self.startPlace = startPlace
    self.endPlace = endPlace
    self.distance = distance
    self.category = category
    self.business = business
    self.startOdometer = startOdometer
    self.endOdometer = endOdometer
    self.vehicle = vehicle
    self.notes = notes
    self.recordedAt = recordedAt
  }
}
