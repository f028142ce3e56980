/// Exit status of a command; values of `sysexits` where one fits.
public enum ExitCode: Int32, Hashable, Sendable, CaseIterable {
  case done = 0
  /// Negative result: problems found, no match.
  case no = 1
  /// Invalid command line.
  case usage = 64
  /// Invalid input data.
  case badData = 65
  /// A named item does not exist.
  case notFound = 66
  /// The daemon or the hub cannot be reached.
  case unreachable = 69
  /// Internal error.
  case bug = 70
  /// A file cannot be created, or exists and may not be replaced.
  case cannotCreate = 73
  /// Reading or writing failed.
  case readWrite = 74
  /// Temporary failure: offline, rate limited, partial sync.
  case tryAgain = 75
  /// Unknown protocol, or a store of a newer version.
  case version = 76
  /// Rejected: the request conflicts with existing data, or permission is missing.
  case refused = 77
  /// Invalid setting.
  case configuration = 78
  /// Interrupted or declined by the user.
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
  /// Failure and its reason.
  public var message: String
  /// Instruction for the user, if any.
  public var hint: String?
  /// Usage line of the command, for errors in the command line.
  public var usage: String?
  public var exit: ExitCode
  /// Id of the failed request to the hub, if any.
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

  /// Message and hint in one line.
  public var sentence: String { hint.map { "\(message). \($0)" } ?? "\(message)." }
}
