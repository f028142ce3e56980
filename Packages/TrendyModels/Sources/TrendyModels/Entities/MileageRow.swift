public import TrendyFoundation

/// One trip of a mileage log.
public struct MileageRow: Hashable, Sendable {
  public var id: String
  public var start: Date
  public var end: Date
  /// Names or addresses; a place without either is told by its coordinates.
  public var from: String
  public var to: String
  public var startPlace: Coordinate?
  public var endPlace: Coordinate?
  /// Metres.
  public var distance: Double
  /// Business, private or mixed; empty while nobody said.
  public var category: String
  /// Metres; `nil` while nobody said.
  public var business: Double?
  /// Metres on the clock at the start and at the end; `nil` where it is not known.
  public var startOdometer: Double?
  public var endOdometer: Double?
  public var vehicle: String
  public var notes: String
  /// When the trip was recorded; `nil` where that is not known.
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
