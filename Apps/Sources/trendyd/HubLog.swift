import CommandSupport
import Foundation
import TrendyHub
import TrendyProtocols

/// The hub's access log on the standard error: a line for each request, and with it what of a failure only the one who runs
/// the hub may know.
///
/// Requests never wait for it: who reads too slowly misses the oldest lines.
struct HubLog: Sendable {
  private let entries: AsyncStream<(Date, AccessLogEntry)>
  private let continuation: AsyncStream<(Date, AccessLogEntry)>.Continuation

  init() {
    (entries, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(4096))
  }

  /// What the hub calls for each answer.
  var log: AccessLog {
    { [continuation] in continuation.yield((SystemTime().now, $0)) }
  }

  /// Writes what came and what comes, until ``finish()``.
  func write(to console: Console) async {
    let local = LocalTime(isUTC: true)
    for await (date, entry) in entries { console.talk(Self.line(entry, at: local.rfc3339(date), console: console)) }
  }

  func finish() { continuation.finish() }

  private static func line(_ entry: AccessLogEntry, at time: String, console: Console) -> String {
    let milliseconds = (entry.duration / .milliseconds(1) * 10).rounded() / 10
    guard !console.isJSON else {
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
