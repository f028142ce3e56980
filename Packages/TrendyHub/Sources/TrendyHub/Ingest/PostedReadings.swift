public import Foundation
public import TrendyInterchange

/// A part of a user's posted readings, for exports.
public struct PostedReadings: Sendable {
  /// End of a part. The next part contains later readings of this device, or those of the next device by name.
  public struct Position: Hashable, Sendable {
    /// Name of the device.
    public var device: String
    /// Time of its last reading in the part.
    public var moment: Date

    public init(device: String, moment: Date) {
      self.device = device
      self.moment = moment
    }
  }

  /// Readings of one device in order of time; after its last one, the annotations of the device.
  public var records: [InterchangeRecord]
  /// End of this part; `nil` after the last part.
  public var next: Position?

  public init(records: [InterchangeRecord] = [], next: Position? = nil) {
    self.records = records
    self.next = next
  }
}
