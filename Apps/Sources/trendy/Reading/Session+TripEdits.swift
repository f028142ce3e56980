import CommandSupport
import TrendyModels
import TrendyTrips

extension Session {
  /// Says why a trip cannot be edited so.
  func usageError(_ error: TripEvent.EditError) -> CommandError {
    let hint: String? =
      if case .outside(let start, let end) = error {
        "It was from \(local.rfc3339(start)) to \(local.rfc3339(end))."
      } else { nil }
    return usageError("\(error)", hint: hint)
  }
}
