import TrendyFoundation
import TrendyModels

extension [Location] {
  /// The fixes in chronological order. Fixes with equal timestamps but different positions are spread over one second.
  ///
  /// A track log stores one fix per millisecond, but a receiver that records whole seconds may write ten fixes with the
  /// same timestamp. Fixes with the same timestamp and position remain duplicates.
  var spreadWithinSeconds: [Location] {
    let sorted = enumerated().sorted { ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset) }
      .map(\.element)
    guard zip(sorted, sorted.dropFirst()).contains(where: { $0.timestamp == $1.timestamp }) else { return sorted }
    var result: [Location] = []
    result.reserveCapacity(sorted.count)
    var start = 0
    while start < sorted.count {
      let time = sorted[start].timestamp
      let end = sorted[start...].firstIndex { $0.timestamp != time } ?? sorted.count
      var positions: [Coordinate: Int] = [:]
      let moment = sorted[start..<end].map { fix in
        let position = positions[fix.coordinate, default: positions.count]
        positions[fix.coordinate] = position
        return (position: position, fix: fix)
      }
      let isWhole = time.timeIntervalSince1970 == time.timeIntervalSince1970.rounded()
      let step = isWhole ? Swift.max(1, 1000 / positions.count) : 1
      for (position, fix) in moment.sorted(by: { $0.position < $1.position }) {
        var fix = fix
        fix.timestamp = time.addingTimeInterval(Double(position * step) / 1000)
        result.append(fix)
      }
      start = end
    }
    return result
  }
}
