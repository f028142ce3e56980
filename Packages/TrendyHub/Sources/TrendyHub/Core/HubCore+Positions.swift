public import TrendyModels

extension HubCore {
  /// Rejects a request from a device whose position this hub cannot have produced.
  ///
  /// - Throws: A problem of kind `log_reset` if the hub never assigned the seen version in that epoch, or
  ///   `device_forked` if the hub's high-water mark for the device is above the last sequence number that the device
  ///   has sent. Nothing may be written for such a request.
  public func check(_ position: DevicePosition, in reading: any HubReadTransaction) throws {
    let state = try reading.state()
    if position.seen > 0 {
      guard position.seen <= state.head else {
        throw Problem.logReset("this hub is at version \(state.head) and never assigned version \(position.seen)")
      }
      if let epoch = position.epoch, state.epochs.epoch(of: position.seen)?.id != epoch {
        throw Problem.logReset(
          "version \(position.seen) belongs to another epoch of this hub")
      }
    }
    if let last = position.lastSequence {
      let mark = try reading.mark(device: position.device)
      guard mark <= last else {
        throw Problem.forked(
          "this hub has processed sequence number \(mark) of the device, which has sent only \(last)")
      }
    }
  }
}

extension Problem {
  static func logReset(_ detail: String) -> Problem {
    Problem(
      "log_reset", status: 409, title: "Position unknown",
      detail: "\(detail): the hub was restored or recreated; load a snapshot")
  }

  static func forked(_ detail: String) -> Problem {
    Problem(
      "device_forked", status: 409, title: "Device forked",
      detail:
        "\(detail): two stores use one device identity, or a store was restored; create a new identity and send the changes again"
    )
  }
}
