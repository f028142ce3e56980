public import TrendyFoundation
public import TrendyInterchange
import TrendyModels
public import TrendyPersistence
import TrendyProtocols

extension TrackLog {
  private static let partSeconds = 86_400.0

  /// Returns one part of the stored readings: one day from a device or, after the last day, the device's detection
  /// state.
  ///
  /// Parts are ordered by device name, then by time. An export of any length needs memory for one day only.
  /// - Parameters:
  ///   - span: Period, or `nil` for all readings and the detection state.
  ///   - position: End of the previous part, or `nil` for the first part.
  /// - Returns: Records and the end of the part. After the last part, no records and `nil`.
  public func part(
    in span: ClosedRange<Date>?, after position: (device: String, moment: Date)?
  ) throws -> (records: [InterchangeRecord], end: (device: String, moment: Date)?) {
    for device in try devices() where device.name >= position?.device ?? "" {
      let first = max(device.firstTime, span?.lowerBound ?? device.firstTime).addingTimeInterval(-0.001)
      let last = min(device.lastTime, span?.upperBound ?? device.lastTime)
      var start = position?.device == device.name ? max(first, position?.moment ?? first) : first
      while start < last {
        let end = min(start.addingTimeInterval(Self.partSeconds), last)
        var records: [InterchangeRecord] = []
        try forEach(device: device.name, after: start, through: end) {
          records.append(InterchangeRecord($0, device: device.name))
        }
        if !records.isEmpty { return (records, (device.name, end)) }
        start = end
      }
      // A position after the last reading means that the device's detection state has been returned.
      let notes = span == nil && start == last ? try notes(besideReadingsOf: device.name) : []
      if !notes.isEmpty { return (notes, (device.name, .distantFuture)) }
    }
    return ([], nil)
  }

  /// Returns the detection state of a device, such as checkpoints, by kind and time.
  func notes(besideReadingsOf device: String) throws -> [InterchangeRecord] {
    try TrackNote.Kind.allCases.flatMap { kind in
      try notes(kind, device: device, after: nil, isDescending: false, limit: .max).map {
        .note(kind: kind.rawValue, id: $0.id, time: $0.time, content: $0.content, device: device)
      }
    }
  }
}

extension InterchangeRecord {
  init(_ reading: TrackReading, device: String) {
    switch reading {
    case .fix(let fix): self = .fix(fix, device: device)
    case .motion(let motion): self = .motion(motion, device: device)
    case .call(let call): self = .call(kind: call.kind.rawValue, time: call.timestamp, device: device)
    }
  }
}
