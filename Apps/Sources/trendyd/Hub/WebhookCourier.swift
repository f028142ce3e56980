import Synchronization
import TrendyFoundation
import TrendyHub
import TrendyModels
import TrendyNetworking
import TrendyProtocols

/// Carries what a hub tells its webhooks.
final class WebhookCourier: WebhookSender {
  private let clock: any TimeSource
  /// Made for the first that is carried: the session below it makes folders in the home of its user.
  private let made = Mutex<DocumentPoster?>(nil)

  init(clock: any TimeSource = SystemTime()) { self.clock = clock }

  func send(_ post: WebhookPost) async throws -> WebhookAnswer {
    guard let url = URL(string: post.url) else { throw APIError.networkError("\(post.url) is no address") }
    let poster = made.withLock { made in
      let poster = made ?? DocumentPoster(clock: clock)
      made = poster
      return poster
    }
    let answer = try await poster.post(post.body, to: url, headers: post.headers)
    return WebhookAnswer(status: answer.status, retryAfter: answer.retryAfter)
  }
}
