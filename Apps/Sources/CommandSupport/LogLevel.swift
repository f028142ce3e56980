/// Severity of a log line.
public enum LogLevel: String, Hashable, Sendable, CaseIterable, Comparable {
  case debug
  case info
  case warning
  case error

  /// Syslog priority, also used by the systemd journal (sd-daemon(3)).
  public var priority: Int {
    switch self {
    case .debug: 7
    case .info: 6
    case .warning: 4
    case .error: 3
    }
  }

  public static func < (left: LogLevel, right: LogLevel) -> Bool { left.priority > right.priority }
}
