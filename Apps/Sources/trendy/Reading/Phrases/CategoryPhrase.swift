import CommandSupport
import TrendyTrips

extension Session {
  func category(_ word: String) throws(CommandError) -> TripCategory {
    guard let category = TripCategory(rawValue: word.lowercased()) else {
      throw usageError("Unknown trip category '\(word)'", hint: "Use business, private or mixed.")
    }
    return category
  }
}

extension ValueKind {
  static let tripCategory = ValueKind.oneOf(TripCategory.allCases.map(\.rawValue))
}
