import Synchronization

/// Caches the result of the readiness check, so frequent probes do not all access the storage.
final class Readiness: Sendable {
  private static let interval: Duration = .seconds(5)

  private let last = Mutex<(problem: Problem?, at: Duration)?>(nil)

  /// Runs the check unless the last result is less than five seconds old.
  func check(now: Duration, _ body: () async throws -> Void) async throws(Problem) {
    var result = last.withLock(\.self)
    if result.map({ now - $0.at >= Self.interval }) ?? true {
      do {
        try await body()
        result = (nil, now)
      } catch {
        result = (Problem(for: error), now)
      }
      last.withLock { [result] in $0 = result }
    }
    if let problem = result?.problem { throw problem }
  }
}
