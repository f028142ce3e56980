import CommandSupport
import TrendyModels
import TrendyTrips

extension Session {
  func usageError(_ error: TripEvent.EditError) -> CommandError {
    let hint: String? =
      if case .outside(let start, let end) = error {
        "The trip lasted from \(local.rfc3339(start)) to \(local.rfc3339(end))."
      } else { nil }
    return usageError("\(error)", hint: hint)
  }
}
