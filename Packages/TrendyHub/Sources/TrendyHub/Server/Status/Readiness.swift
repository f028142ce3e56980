import Synchronization
import TrendyModels
import TrendyProtocols

/// Decides when the storage is asked again whether it is ready: not for each of those who ask.
struct Readiness {
  static let interval: Duration = .seconds(5)

  enum Answer {
    case ready
    case notReady(Problem)
  }

  private var last: (answer: Answer, at: Duration)?

  /// The last answer, as long as it counts.
  func answer(now: Duration) -> Answer? {
    guard let last, now - last.at < Self.interval else { return nil }
    return last.answer
  }

  mutating func note(_ answer: Answer, now: Duration) { last = (answer, now) }
}

extension HubServer {
  /// Answers `/ready`: whether a write would be taken by now, unlike `/health`, which says that the process answers.
  func answerReady() async throws -> HTTPResponse {
    let now = clock.uptime
    let answer: Readiness.Answer
    if let known = readiness.withLock({ $0.answer(now: now) }) {
      answer = known
    } else {
      do {
        try await store.perform(.writing, for: "readiness") { [storage] in try storage.checkReady() }
        answer = .ready
      } catch {
        answer = .notReady(problem(for: error))
      }
      readiness.withLock { $0.note(answer, now: now) }
    }
    if case .notReady(let problem) = answer { throw problem }
    return .json(["status": "ready", "version": "1"])
  }
}
