import TrendyModels
public import TrendyProtocols

/// Reason why a sync round failed.
public enum SyncFailure: Error, Hashable, Sendable {
  /// No response: the network or the hub is unavailable.
  case unanswered(String)
  /// Temporary failure of the hub: 408, 425, 5xx, or a mutation without an outcome.
  case busy(String, retryAfter: Duration?)
  case rateLimited(retryAfter: Duration?)
  /// 401: the hub no longer accepts this device's token.
  case unauthorized
  /// A response that a retry will not change.
  case unusable(String)
  /// 410: the hub no longer has the feed entries after this device's cursor.
  case expired(String)
  /// 409 `log_reset`: the hub was restored from a backup and lost versions that this device has seen.
  case logReset(String)
  /// 409 `device_forked`: another store uses this device identity, or this store was restored from a backup.
  case forked(String)
  /// Another process is syncing this store, or synced it while the request was in progress.
  case elsewhere
  /// The cursor of the feed does not advance.
  case feedStuck(String)
  case store(String)
  case cancelled

  init(_ error: any Error) {
    switch error {
    case let failure as SyncFailure: self = failure
    case is CancellationError: self = .cancelled
    case let error as APIError:
      switch error {
      case _ where error.isRateLimited: self = .rateLimited(retryAfter: error.retryAfter)
      case _ where error.statusCode == 401: self = .unauthorized
      case .problem(let problem, _) where problem.type == ProblemDetails.logReset: self = .logReset(error.description)
      case .problem(let problem, _) where problem.type == ProblemDetails.deviceForked: self = .forked(error.description)
      case _ where error.statusCode == 410: self = .expired(error.description)
      case .networkError(let words), .timedOut(let words): self = .unanswered(words)
      case _ where error.isTransient: self = .busy(error.description, retryAfter: error.retryAfter)
      default: self = .unusable(error.description)
      }
    default: self = .unusable("\(error)")
    }
  }

  var retryAfter: Duration? {
    switch self {
    case .busy(_, let retryAfter), .rateLimited(let retryAfter): retryAfter.map { min($0, SyncRange.longestWait) }
    default: nil
    }
  }

  /// Whether the round can still pull after its push has failed with this error.
  var leavesThePull: Bool {
    switch self {
    case .unauthorized, .store, .cancelled, .feedStuck, .logReset, .forked, .elsewhere: false
    case .unanswered, .busy, .rateLimited, .unusable, .expired: true
    }
  }

  /// Category recorded in the history of rounds.
  public var cause: SyncRun.Cause {
    switch self {
    case .unanswered: .unanswered
    case .unauthorized: .unauthorized
    case .unusable, .feedStuck, .expired: .unusable
    case .store: .store
    case .cancelled: .cancelled
    // The next round recovers automatically: from a snapshot or under a new identity.
    case .busy, .rateLimited, .logReset, .forked, .elsewhere: .passing
    }
  }

  /// Message for the user: the failure, the pending mutations, and what to do.
  func words(pending: Int, isAutomatic: Bool) -> String {
    let kept =
      switch pending {
      case 0: "No data was lost."
      case 1: "No data was lost; 1 change is pending."
      default: "No data was lost; \(pending) changes are pending."
      }
    let next = isAutomatic ? "Sync retries automatically" : "Sync again later"
    return switch self {
    case .unanswered(let what):
      "The hub did not respond (\(what)). \(kept) \(next); check the network if this persists."
    case .busy(let what, _):
      "The hub cannot accept changes right now (\(what)). \(kept) \(next)."
    case .rateLimited:
      "The hub asked this device to back off. \(kept) \(next)."
    case .unauthorized:
      "The hub no longer accepts this device. \(kept) Pair the device again with the same account."
    case .unusable(let what):
      "Unexpected response from the hub (\(what)). \(kept) \(next); if this persists, update this "
        + "device or the hub."
    case .expired(let what):
      "The hub no longer has the changes since this device's last sync (\(what)). \(kept) If this persists, run a full "
        + "resync."
    case .logReset(let what):
      "The hub was restored from an older backup, and this device has not finished recovering (\(what)). \(kept) \(next)."
    case .forked(let what):
      "Another store uses this device's identity (\(what)). \(kept) Sync continues with a new identity; if this persists, "
        + "two devices may be using copies of one store."
    case .elsewhere:
      "Another process is syncing this store. \(kept) \(next); let only one program sync a store."
    case .feedStuck(let what):
      "The hub's change feed does not advance (\(what)). \(kept) If this persists, run a full resync."
    case .store(let what):
      "Cannot read or write the store on this device (\(what)). Saved data is intact. Free some space or check the disk, "
        + "then sync again."
    case .cancelled:
      "Sync was cancelled. \(kept)"
    }
  }
}

extension SyncFailure? {
  /// Whether the hub accepted the token, or `nil` if this failure leaves that unknown.
  var isTokenGood: Bool? {
    switch self {
    case .unauthorized: false
    case .unanswered, .unusable, .store, .elsewhere, .cancelled: nil
    case nil, .busy, .rateLimited, .expired, .logReset, .forked, .feedStuck: true
    }
  }
}
