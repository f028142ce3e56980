public import Foundation
import TrendyModels

/// Carries what is delivered to webhooks over the network.
public protocol WebhookSender: Sendable {
  /// Posts once, follows no redirect, and gives up after seconds.
  /// - Throws: why no answer came, in words for the one who runs the hub.
  func send(_ post: WebhookPost) async throws -> WebhookAnswer
}

/// What a receiver said.
public struct WebhookAnswer: Hashable, Sendable {
  public var status: Int
  /// How long it asked to be left alone.
  public var retryAfter: Duration?

  public init(status: Int, retryAfter: Duration? = nil) {
    self.status = status
    self.retryAfter = retryAfter
  }
}

/// One delivery: changes of a person's record as a signed JSON document.
public struct WebhookPost: Hashable, Sendable {
  public let url: String
  public let headers: [String: String]
  public let body: Data

  /// - Parameters:
  ///   - changes: as the feed gives them, in the order of their versions.
  ///   - epoch: the life of the hub that the last of them is of: after a restore the same versions stand for other changes.
  ///   - isIncomplete: whether deletions among the changes may be missing, as they lie too far back.
  ///   - now: signed with the body, so that a receiver can refuse what somebody recorded and sent again later.
  init(_ changes: [HubLine], of epoch: String?, to webhook: HubWebhook, isIncomplete: Bool = false, now: Date) {
    let range = changes.first.map { "\($0.version)-\(changes.last?.version ?? $0.version)" } ?? "try"
    // A receiver that takes each id once must not take two deliveries for one.
    let id = ([webhook.id, epoch].compactMap(\.self) + [range]).joined(separator: ".")
    var body = JSONText.write([
      "schema": "trendy.webhook/1", "id": .string(id), "webhook": .string(webhook.id),
      "person": .string(webhook.person), "epoch": epoch.map { .string($0) } ?? .null,
      "incomplete": .bool(isIncomplete),
    ])
    // The feed's lines stay the bytes they are.
    body.removeLast()
    body += Data(",\"changes\":[".utf8)
    for (place, change) in changes.enumerated() {
      if place > 0 { body.append(UInt8(ascii: ",")) }
      body += change.text
    }
    body += Data("]}".utf8)
    let seconds = Int64(now.timeIntervalSince1970.rounded(.down))
    url = webhook.url
    headers = [
      "Content-Type": "application/json", "Trendy-Delivery": id,
      "Trendy-Signature": Self.signature(of: body, at: seconds, secret: webhook.secret),
    ]
    self.body = body
  }

  /// A delivery without changes, to try the address.
  public init(trying webhook: HubWebhook, now: Date) { self.init([], of: nil, to: webhook, now: now) }

  /// `t=1790000000,v1=` and 64 hexadecimal digits: the HMAC-SHA256 (RFC 2104), keyed with the secret's text, of the seconds since
  /// 1970, a full stop, and the body.
  public static func signature(of body: Data, at seconds: Int64, secret: String) -> String {
    let digest = HMACSHA256.hexadecimal(of: Data("\(seconds).".utf8) + body, key: Data(secret.utf8))
    return "t=\(seconds),v1=\(digest)"
  }
}
