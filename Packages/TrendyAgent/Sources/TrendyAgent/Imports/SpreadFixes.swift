import TrendyFoundation
import TrendyModels

extension [Location] {
  /// Fixes in the order of time, those of one moment and several places laid out over its second: a track log keeps one fix of each
  /// millisecond, and recorders with whole seconds may write ten fixes in each.
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
      var places: Set<Coordinate> = []
      let distinct = sorted[start..<end].filter { places.insert($0.coordinate).inserted }
      let isWhole = time.timeIntervalSince1970 == time.timeIntervalSince1970.rounded()
      let step = isWhole ? Swift.max(1, 1000 / distinct.count) : 1
      for (index, fix) in distinct.enumerated() {
        var fix = fix
        fix.timestamp = time.addingTimeInterval(Double(index * step) / 1000)
        result.append(fix)
      }
      start = end
    }
    return result
  }
}
