public import TrendyFoundation
public import TrendyInterchange
import TrendyModels
public import TrendyPersistence
import TrendyProtocols

extension TrackLog {
  /// Seconds of readings that are in memory at once.
  private static let partSeconds = 86_400.0

  /// A part of what devices told, device by device and in the order of time: a day of one device, or what was noted of one after its
  /// last day. So a file of any length takes the memory of a day.
  /// - Parameters:
  ///   - span: when it was told; `nil` for all, with what was noted beside it.
  ///   - position: where the part before ended; `nil` for the first.
  /// - Returns: the records, none only where there are no more, and where they end; a `nil` position after the last part.
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
      // A moment beyond the last says that its notes were given.
      let notes = span == nil && start == last ? try notes(besideReadingsOf: device.name) : []
      if !notes.isEmpty { return (notes, (device.name, .distantFuture)) }
    }
    return ([], nil)
  }

  /// The notes on a device's readings, such as checkpoints; one kind after the other, each by time.
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
