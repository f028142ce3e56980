public import Foundation
public import TrendyInterchange

/// A part of what devices posted for a person, for a file that takes it along.
public struct PostedReadings: Sendable {
  /// Where in the readings a part ends: what comes next is later in time, or of a device whose name is greater.
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
