import Synchronization
import TrendyFoundation
import TrendyHub
import TrendyModels
import TrendyNetworking
import TrendyProtocols

final class HTTPWebhookSender: WebhookSender {
  private let clock: any TimeSource
  /// Created on first use, because creating a URL session creates folders in the user's home folder.
  private let made = Mutex<DocumentPoster?>(nil)

  init(clock: any TimeSource = SystemTime()) { self.clock = clock }

  func send(_ post: WebhookDelivery) async throws -> WebhookResponse {
    guard let url = URL(string: post.url) else { throw APIError.networkError("\(post.url) is not a valid URL") }
    let poster = made.withLock { made in
      let poster = made ?? DocumentPoster(clock: clock)
      made = poster
      return poster
    }
    let answer = try await poster.post(post.body, to: url, headers: post.headers)
    return WebhookResponse(status: answer.status, retryAfter: answer.retryAfter)
  }
}
