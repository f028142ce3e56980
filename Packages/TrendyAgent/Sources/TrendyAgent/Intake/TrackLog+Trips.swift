public import TrendyFoundation
public import TrendyModels
public import TrendyPersistence
import TrendyProtocols

extension TrackLog {
  /// Returns the fixes in a period if exactly one device has any.
  ///
  /// If several devices have fixes, it is unknown which device the user carried, so the result is empty.
  public func fixesOfOneDevice(in span: ClosedRange<Date>) throws -> [Location] {
    let found = try devices().compactMap { device -> [Location]? in
      var fixes: [Location] = []
      let first = span.lowerBound.addingTimeInterval(-1)
      try forEach(device: device.name, after: first, through: span.upperBound) { reading in
        if case .fix(let fix) = reading { fixes.append(fix) }
      }
      return fixes.count > 1 ? fixes : nil
    }
    return found.count == 1 ? found[0] : []
  }
}
