import CommandSupport
import TrendyTrips

extension Session {
  /// Parses `business`, `private` or `mixed`, ignoring case.
  func category(_ word: String) throws(CommandError) -> TripCategory {
    guard let category = TripCategory(rawValue: word.lowercased()) else {
      throw usageError("Unknown trip category '\(word)'", hint: "Use business, private or mixed.")
    }
    return category
  }
}

extension ValueKind {
  /// Category of a trip.
  static let tripCategory = ValueKind.oneOf(TripCategory.allCases.map(\.rawValue))
}
