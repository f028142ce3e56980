/// Exit status of a command, with the codes of sysexits(3) where one applies.
public enum ExitCode: Int32, Hashable, Sendable, CaseIterable {
  case done = 0
  /// Negative result, such as problems found or no match.
  case no = 1
  /// Invalid command line.
  case usage = 64
  /// Malformed input data.
  case badData = 65
  /// Named item not found.
  case notFound = 66
  /// Daemon or hub unreachable.
  case unreachable = 69
  /// Internal error.
  case bug = 70
  /// File cannot be created, or already exists and must not be overwritten.
  case cannotCreate = 73
  /// I/O error.
  case readWrite = 74
  /// Temporary failure, such as no connection, rate limit or partial sync.
  case tryAgain = 75
  /// Unsupported protocol version, or a store written by a newer version.
  case version = 76
  /// Request rejected because it conflicts with existing data or lacks permission.
  case refused = 77
  /// Invalid configuration.
  case configuration = 78
  /// Interrupted or declined by the user.
  case interrupted = 130
}

extension ExitCode {
  /// Machine-readable name, used as `error.code` in JSON output.
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

/// Error thrown by a command: the failure, its reason and a hint on resolving it.
public struct CommandError: Error, Hashable, Sendable {
  /// Failure and reason, without a final period.
  public var message: String
  /// Instruction for the user, if any.
  public var hint: String?
  /// Usage line of the command, if the command line was invalid.
  public var usage: String?
  public var exit: ExitCode
  /// Id of the failed hub request, if any, for finding it in the hub's log.
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

  /// Message and hint as text on one line.
  public var sentence: String { hint.map { "\(message). \($0)" } ?? "\(message)." }
}
