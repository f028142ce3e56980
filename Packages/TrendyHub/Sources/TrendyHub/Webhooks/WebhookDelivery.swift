public import Foundation
import TrendyModels

/// Sends deliveries over the network.
public protocol WebhookSender: Sendable {
  /// Sends one request without following redirects. Times out after a few seconds.
  ///
  /// - Throws: The reason why no response was received, for the hub's operator.
  func send(_ post: WebhookDelivery) async throws -> WebhookResponse
}

/// A receiver's response.
public struct WebhookResponse: Hashable, Sendable {
  public var status: Int
  /// Delay requested by the receiver before the next delivery, or `nil` if none.
  public var retryAfter: Duration?

  public init(status: Int, retryAfter: Duration? = nil) {
    self.status = status
    self.retryAfter = retryAfter
  }
}

/// One delivery: changes to a user's record as a signed JSON document.
public struct WebhookDelivery: Hashable, Sendable {
  public let url: String
  public let headers: [String: String]
  public let body: Data

  /// Creates a delivery.
  ///
  /// - Parameters:
  ///   - changes: Serialized feed entries in order of version.
  ///   - epoch: Epoch of the last change. After a restore, the same version may denote a different change.
  ///   - webhook: Receiver of the delivery.
  ///   - isIncomplete: Whether tombstones among the changes may have been compacted.
  ///   - now: Time to sign with the body, so a receiver can reject replayed deliveries.
  init(_ changes: [SerializedEntry], of epoch: String?, to webhook: HubWebhook, isIncomplete: Bool = false, now: Date) {
    let range = changes.first.map { "\($0.version)-\(changes.last?.version ?? $0.version)" } ?? "try"
    // Ids must be unique, because a receiver may accept each id only once.
    let id = ([webhook.id, epoch].compactMap(\.self) + [range]).joined(separator: ".")
    var body = JSONText.write([
      "schema": "trendy.webhook/1", "id": .string(id), "webhook": .string(webhook.id),
      "person": .string(webhook.user), "epoch": epoch.map { .string($0) } ?? .null,
      "incomplete": .bool(isIncomplete),
    ])
    // Append the feed entries as text, without decoding them.
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

  /// Creates a delivery without changes, to test the URL.
  public init(trying webhook: HubWebhook, now: Date) { self.init([], of: nil, to: webhook, now: now) }

  /// Returns the signature in the form `t=SECONDS,v1=DIGEST`.
  ///
  /// The digest is the hexadecimal HMAC-SHA256 (RFC 2104), with the secret as key, of the seconds since 1970, a full
  /// stop, and the body.
  public static func signature(of body: Data, at seconds: Int64, secret: String) -> String {
    let digest = HMACSHA256.hexadecimal(of: Data("\(seconds).".utf8) + body, key: Data(secret.utf8))
    return "t=\(seconds),v1=\(digest)"
  }
}
