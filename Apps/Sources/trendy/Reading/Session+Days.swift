#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels
import TrendyProtocols

extension Session {
  /// The events of some of the person's days, the newest first. One of a whole day belongs to its date, whenever days begin.
  /// - Parameters:
  ///   - range: from the first moment of a day to that of another, or any moments; `nil` for all.
  ///   - limit: at most so many; `nil` for all.
  func events(
    in range: Range<Date>?, ofType type: String?, limit: Int?, from store: any DataStoreProtocol
  ) throws -> [Event] {
    guard local.dayStart > 0 else { return try store.events(in: range, ofType: type, limit: limit) }
    guard let range else {
      return try store.events(in: nil, ofType: type, limit: limit).sorted { isNewer($0, $1) }
    }
    // What is of a whole day stands at midnight, before the day begins.
    let first = range.lowerBound == .distantPast ? range.lowerBound : local.midnight(range.lowerBound)
    let found = try store.events(in: first..<range.upperBound, ofType: type, limit: nil)
      .filter { range.contains(local.moment(of: $0)) }.sorted { isNewer($0, $1) }
    return limit.map { Array(found.prefix($0)) } ?? found
  }

  func isNewer(_ left: Event, _ right: Event) -> Bool {
    (local.moment(of: left), left.id) > (local.moment(of: right), right.id)
  }
}
