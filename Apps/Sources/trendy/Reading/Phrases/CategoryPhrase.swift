import CommandSupport
import TrendyTrips

extension Session {
  /// Parses a trip category, ignoring case.
  /// - Throws: ``CommandError`` with exit 64 for an unknown category.
  func category(_ word: String) throws(CommandError) -> TripCategory {
    guard let category = TripCategory(rawValue: word.lowercased()) else {
      throw usageError("Unknown trip category '\(word)'", hint: "Use business, private or mixed.")
    }
    return category
  }
}

extension ValueKind {
  /// Category of a trip: `business`, `private` or `mixed`.
  static let tripCategory = ValueKind.oneOf(TripCategory.allCases.map(\.rawValue))
}
