public import Foundation
public import TrendyInterchange

/// A part of what devices posted for a person, for a file that takes it along.
public struct PostedReadings: Sendable {
  /// Where a part ends, by device and time. The next part has later readings of this device, or those of the device after it by name.
  public struct Position: Hashable, Sendable {
    public var device: String
    public var moment: Date

    public init(device: String, moment: Date) {
      self.device = device
      self.moment = moment
    }
  }

  /// Fixes, motion and calls of one device in the order of their time; after its last one, what was noted beside them.
  public var records: [InterchangeRecord]
  /// `nil` after the last part.
  public var next: Position?

  public init(records: [InterchangeRecord] = [], next: Position? = nil) {
    self.records = records
    self.next = next
  }
}
