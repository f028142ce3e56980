import CommandSupport
import Foundation
import TrendyModels
import TrendyHub
import TrendyProtocols

/// The hub's access log: a line for each request, and with it what of a failure only the one who runs the hub may know.
struct HubLog: Sendable {
  let writer: LogWriter
  let console: Console

  /// The hub calls it for each answer. It never waits.
  var log: AccessLog {
    let local = LocalTime(isUTC: true)
    return { [writer, console] entry in
      guard !console.isQuiet else { return }
      writer.line(Self.line(entry, at: local.rfc3339(SystemTime().now), isJSON: console.isJSON))
    }
  }

  private static func line(_ entry: AccessLogEntry, at time: String, isJSON: Bool) -> String {
    let milliseconds = (entry.duration / .milliseconds(1) * 10).rounded() / 10
    guard !isJSON else {
      return JSONText.object([
        ("time", .string(time)), ("request_id", .string(entry.requestId)), ("method", .string(entry.method)),
        ("path", .string(entry.path)), ("status", .number(entry.status)), ("remote", .string(entry.remoteAddress)),
        ("device", .string(entry.device)), ("duration_ms", .number(milliseconds)), ("failure", .string(entry.failure)),
      ]).description
    }
    let words = [
      time, "\(entry.status)", entry.method, entry.path, entry.remoteAddress, entry.device ?? "-", "\(milliseconds) ms",
      entry.requestId, entry.failure,
    ]
    return words.compactMap(\.self).joined(separator: " ")
  }
}
