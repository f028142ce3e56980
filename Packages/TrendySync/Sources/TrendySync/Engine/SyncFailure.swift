import TrendyModels
public import TrendyProtocols

/// Why a round did not come to its end.
public enum SyncFailure: Error, Hashable, Sendable {
  /// No answer: no network, or a hub that is down.
  case unanswered(String)
  /// The hub cannot now: 408, 425, 5xx, or it did not judge a mutation.
  case busy(String, retryAfter: Duration?)
  case rateLimited(retryAfter: Duration?)
  /// The hub no longer takes this device's token.
  case unauthorized
  /// An answer that is no sense to ask for again and again.
  case unusable(String)
  /// 410: the hub no longer keeps what came after this device's cursor.
  case expired(String)
  /// 409: the hub was restored from a backup, and never gave what this device has seen.
  case logReset(String)
  /// 409: the hub knows this device by another row of sequences.
  case forked(String)
  /// Another program syncs this store, or did while the hub answered.
  case elsewhere
  /// A feed that does not go forward.
  case feedStuck(String)
  case store(String)
  case cancelled

  /// What a client threw.
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

  /// Whether the round may go on to pull after a push met it.
  var leavesThePull: Bool {
    switch self {
    case .unauthorized, .store, .cancelled, .feedStuck, .logReset, .forked, .elsewhere: false
    case .unanswered, .busy, .rateLimited, .unusable, .expired: true
    }
  }

  /// What is recorded of it with a round.
  public var cause: SyncRun.Cause {
    switch self {
    case .unanswered: .unanswered
    case .unauthorized: .unauthorized
    case .unusable, .feedStuck, .expired: .unusable
    case .store: .store
    case .cancelled: .cancelled
    // The next round begins anew by itself: from a snapshot, or under a new identity.
    case .busy, .rateLimited, .logReset, .forked, .elsewhere: .passing
    }
  }

  /// What happened, what waits, what to do.
  func words(pending: Int) -> String {
    let kept =
      switch pending {
      case 0: "Nothing is lost."
      case 1: "Nothing is lost: 1 change waits here."
      default: "Nothing is lost: \(pending) changes wait here."
      }
    return switch self {
    case .unanswered(let what):
      "The hub gave no answer (\(what)). \(kept) Sync tries again by itself; check the network if this stays."
    case .busy(let what, _):
      "The hub cannot take changes right now (\(what)). \(kept) Sync tries again by itself."
    case .rateLimited:
      "The hub asked to be left alone for a while. \(kept) Sync goes on by itself."
    case .unauthorized:
      "The hub no longer accepts this device. \(kept) Connect the device again with the same account to go on."
    case .unusable(let what):
      "The hub's answer is of no use (\(what)). \(kept) Sync tries again; if this stays, update this device or the hub."
    case .expired(let what):
      "The hub no longer keeps the changes since this device's last sync (\(what)). \(kept) If this stays, make a full resync."
    case .logReset(let what):
      "The hub was set back, and setting this device right did not end (\(what)). \(kept) Sync tries again by itself."
    case .forked(let what):
      "The hub takes this device for another (\(what)). \(kept) Sync goes on under a new identity; if this stays, two "
        + "devices may run on copies of one store."
    case .elsewhere:
      "This store is being synced by another process. \(kept) Sync tries again by itself; let one program sync it."
    case .feedStuck(let what):
      "The hub's list of changes does not go forward (\(what)). \(kept) If this stays, make a full resync."
    case .store(let what):
      "This device's store could not be read or written (\(what)). What was saved before is unharmed. Free some space or "
        + "check the disk, then sync again."
    case .cancelled:
      "Sync was stopped. \(kept)"
    }
  }
}

extension SyncFailure? {
  /// Whether the hub took this device's token, as far as the end of a round tells.
  var isTokenGood: Bool? {
    switch self {
    case .unauthorized: false
    case .unanswered, .unusable, .store, .elsewhere, .cancelled: nil
    case nil, .busy, .rateLimited, .expired, .logReset, .forked, .feedStuck: true
    }
  }
}
