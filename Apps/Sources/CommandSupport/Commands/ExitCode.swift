/// How a command ended, after `sysexits` where one fits.
public enum ExitCode: Int32, Hashable, Sendable, CaseIterable {
  case done = 0
  /// The answer is no: findings, no match.
  case no = 1
  case usage = 64
  /// Bad data in the input.
  case badData = 65
  /// A thing that was named is not there.
  case notFound = 66
  /// The daemon or the hub does not answer.
  case unreachable = 69
  /// A bug of ours.
  case bug = 70
  case cannotCreate = 73
  case readWrite = 74
  /// Try again: offline, rate limited, a sync that did part of its work.
  case tryAgain = 75
  /// Another protocol, or a store of a newer version.
  case version = 76
  case refused = 77
  case configuration = 78
  case interrupted = 130
}

extension ExitCode {
  /// The word in `error.code` of `--json`.
  public var code: String {
    switch self {
    case .done: "done"
    case .no: "no"
    case .usage: "usage"
    case .badData: "bad_data"
    case .notFound: "not_found"
    case .unreachable: "unreachable"
    case .bug: "bug"
    case .cannotCreate: "cannot_create"
    case .readWrite: "read_write"
    case .tryAgain: "try_again"
    case .version: "version"
    case .refused: "refused"
    case .configuration: "configuration"
    case .interrupted: "interrupted"
    }
  }
}

/// What a person reads when a command cannot do its work: what, why, what to do.
public struct CommandError: Error, Hashable, Sendable {
  public var message: String
  public var hint: String?
  public var usage: String?
  public var exit: ExitCode
  public var requestId: String?

  public init(
    _ message: String, hint: String? = nil, usage: String? = nil, exit: ExitCode, requestId: String? = nil
  ) {
    self.message = message
    self.hint = hint
    self.usage = usage
    self.exit = exit
    self.requestId = requestId
  }
}
