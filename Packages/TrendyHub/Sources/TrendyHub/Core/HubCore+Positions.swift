/// What a device says of itself with every request: enough for the hub to see that it, or the device, was restored or copied.
public struct SyncPosition: Hashable, Sendable {
  /// The identity of the store that asks.
  public var device: String
  /// The highest head in any answer it has had.
  public var seen: Int64?
  /// The life of the hub in which `seen` was given, by the device's list; `nil` before its first answer.
  public var epoch: String?
  /// The highest sequence it has ever sent, where it says so.
  public var lastSequence: Int64?

  public init(device: String, seen: Int64? = nil, epoch: String? = nil, lastSequence: Int64? = nil) {
    self.device = device
    self.seen = seen
    self.epoch = epoch
    self.lastSequence = lastSequence
  }
}

extension HubCore {
  /// Refuses a device that knows a position this hub never gave, or of which this hub has judged more than it has sent.
  /// - Throws: a problem of kind `log_reset` or `device_forked`; then nothing may be done for the request.
  public func check(_ position: SyncPosition, in reading: any HubReading) throws {
    let state = try reading.state()
    if let seen = position.seen, seen > 0 {
      guard seen <= state.head else {
        throw Problem.logReset("this hub stands at \(state.head) and never gave \(seen)")
      }
      if let epoch = position.epoch, state.epoch(at: seen) != epoch {
        throw Problem.logReset("the \(seen) that was seen was given in another life than the one this hub had then")
      }
    }
    if let last = position.lastSequence {
      let mark = try reading.mark(device: position.device)
      guard mark <= last else {
        throw Problem.forked("this hub has judged sequence \(mark) of the device, which says it has sent \(last)")
      }
    }
  }
}

extension Problem {
  static func logReset(_ detail: String) -> Problem {
    Problem(
      "log_reset", status: 409, title: "Position unknown",
      detail: "\(detail): it was restored or set up anew; take a snapshot")
  }

  static func forked(_ detail: String) -> Problem {
    Problem(
      "device_forked", status: 409, title: "Device forked",
      detail: "\(detail): two stores use one identity, or a store was restored; make a new identity and queue again")
  }
}
