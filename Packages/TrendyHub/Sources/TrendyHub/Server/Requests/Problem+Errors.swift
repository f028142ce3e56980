import TrendyModels

extension Problem {
  init(for error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let error as HubQuotaError: self = error.problem
    case HubStorageError.full:
      self.init(
        "storage_full", status: 507, title: "Storage full",
        detail: "the hub has no free space: nothing was changed, and pending changes stay on the device",
        retryAfter: .seconds(60))
    case HubStorageError.erased:
      self.init(
        "unauthorized", status: 401, title: "Not paired",
        detail: "the user of this device was removed from the hub")
    case HubStorageError.exhausted:
      self = .unavailable("the hub has too many files open: nothing was changed; try again in a moment")
    case HubStorageError.unreachable:
      self = .unavailable("the hub's database does not respond: nothing was confirmed; try again in a moment")
    case HubStorageError.busy, HubStorageError.occupied:
      self = .unavailable("the hub's storage is locked by another writer: try again in a moment")
    default:
      // Details about the hub's files are only for the operator.
      self.init(
        "internal", status: 500, title: "Internal error",
        detail: "the request failed and nothing was confirmed: the hub's log has details under the request id")
    }
  }

  private static func unavailable(_ detail: String) -> Problem {
    Problem("unavailable", status: 503, title: "Service unavailable", detail: detail, retryAfter: .seconds(1))
  }
}
