import CommandSupport
import Foundation
import TrendyModels
import TrendyHub
import TrendyProtocols

/// Access log of the hub with one line per request. For failed requests, it contains internal details that responses
/// omit.
struct HubLog: Sendable {
  let writer: LogWriter
  let console: Console

  /// Handler that the hub calls for each response. The handler never blocks.
  var log: AccessLog {
    { [writer, console] entry in
      guard !console.isQuiet else { return }
      writer.log(Self.level(entry), Self.words(entry), Self.members(entry))
    }
  }

  /// Status 503 is a warning, because overload is temporary. Other internal failures are errors.
  private static func level(_ entry: AccessLogEntry) -> LogLevel {
    if entry.status == 503 { return .warning }
    return entry.status >= 500 || entry.failure != nil ? .error : .info
  }

  private static func milliseconds(_ entry: AccessLogEntry) -> Double {
    (entry.duration / .milliseconds(1) * 10).rounded() / 10
  }

  private static func words(_ entry: AccessLogEntry) -> String {
    let words = [
      "\(entry.status)", entry.method, entry.path, entry.remoteAddress, entry.device ?? "-",
      "\(milliseconds(entry)) ms", entry.requestId, entry.failure,
    ]
    return words.compactMap(\.self).joined(separator: " ")
  }

  private static func members(_ entry: AccessLogEntry) -> [(String, JSONText)] {
    [
      ("request_id", .string(entry.requestId)), ("method", .string(entry.method)), ("path", .string(entry.path)),
      ("status", .number(entry.status)), ("remote", .string(entry.remoteAddress)), ("device", .string(entry.device)),
      ("duration_ms", .number(milliseconds(entry))), ("failure", .string(entry.failure)),
    ]
  }
}
