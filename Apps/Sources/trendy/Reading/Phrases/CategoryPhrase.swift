import CommandSupport
import TrendyTrips

extension Session {
  /// `business`, `private` or `mixed`, whatever the case.
  func category(_ word: String) throws(CommandError) -> TripCategory {
    guard let category = TripCategory(rawValue: word.lowercased()) else {
      throw usageError("'\(word)' is nothing that a trip can be for", hint: "business, private or mixed.")
    }
    return category
  }
}

extension ValueKind {
  /// What a trip was for.
  static let tripCategory = ValueKind.oneOf(TripCategory.allCases.map(\.rawValue))
}
