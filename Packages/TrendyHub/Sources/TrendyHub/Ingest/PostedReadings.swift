public import Foundation
public import TrendyInterchange

/// One part of a user's posted readings, for exports.
public struct PostedReadings: Sendable {
  /// End of a part. The next part continues with later readings from the device, or with the next device in order of
  /// name.
  public struct Position: Hashable, Sendable {
    /// Name of the device.
    public var device: String
    /// Timestamp of the device's last reading in the part.
    public var moment: Date

    public init(device: String, moment: Date) {
      self.device = device
      self.moment = moment
    }
  }

  /// One device's readings in chronological order. A device's last part also contains its annotations.
  public var records: [InterchangeRecord]
  /// End of this part, or `nil` if this is the last one.
  public var next: Position?

  public init(records: [InterchangeRecord] = [], next: Position? = nil) {
    self.records = records
    self.next = next
  }
}
