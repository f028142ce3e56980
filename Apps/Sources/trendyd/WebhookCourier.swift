#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyHub
import TrendyModels
import TrendyNetworking
import TrendyProtocols

/// Carries what a hub tells its webhooks.
struct WebhookCourier: WebhookSender {
  private let poster: DocumentPoster

  init(clock: any TimeSource = SystemTime()) { poster = DocumentPoster(clock: clock) }

  func send(_ post: WebhookPost) async throws -> WebhookAnswer {
    guard let url = URL(string: post.url) else { throw APIError.networkError("\(post.url) is no address") }
    let answer = try await poster.post(post.body, to: url, headers: post.headers)
    return WebhookAnswer(status: answer.status, retryAfter: answer.retryAfter)
  }
}
