/// Exit status of a command; values of `sysexits` where one fits.
public enum ExitCode: Int32, Hashable, Sendable, CaseIterable {
  case done = 0
  /// Negative result: problems found, no match.
  case no = 1
  case usage = 64
  /// Invalid input data.
  case badData = 65
  /// A named item does not exist.
  case notFound = 66
  /// The daemon or the hub cannot be reached.
  case unreachable = 69
  /// Internal error.
  case bug = 70
  case cannotCreate = 73
  case readWrite = 74
  /// Temporary failure: offline, rate limited, partial sync.
  case tryAgain = 75
  /// Unknown protocol, or a store of a newer version.
  case version = 76
  case refused = 77
  case configuration = 78
  case interrupted = 130
}

extension ExitCode {
  /// Value of `error.code` in `--json`.
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

/// Error message of a command: what failed, why, and what to do.
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
