import Foundation
import TrendyHub
import TrendyModels
import TrendyProtocols

/// Fault in a webhook delivery.
public enum ReceiverFault: Hashable, Sendable {
  /// The connection is refused.
  case unreachable
  /// The receiver rejects the delivery, possibly with `Retry-After`.
  case status(Int, retryAfter: Int?)
  /// The delivery is accepted, but the response is lost.
  case answerLost
  /// The sender times out. After this many seconds the delivery is accepted or lost.
  case hangs(seconds: Int, isTaken: Bool)
}

extension ReceiverFault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unreachable: "the receiver is unreachable"
    case .status(let status, _): "answered \(status)"
    case .answerLost: "accepted, but the response is lost"
    case .hangs(let seconds, let isTaken): "\(isTaken ? "accepted" : "lost") after \(seconds) s without a response"
    }
  }

  var kind: String {
    switch self {
    case .unreachable: "receiver_unreachable"
    case .status: "receiver_refused"
    case .answerLost: "receiver_answer_lost"
    case .hangs: "receiver_hung"
    }
  }
}

/// Webhook receiver that verifies signatures and processes each delivery id once.
///
/// @unchecked: used only by the jobs of one scenario, which run one at a time on one executor.
final class SimulatedWebhookReceiver: WebhookSender, @unchecked Sendable {
  struct Planned {
    var fault: ReceiverFault
    var afterPosts: Int
  }

  private let webhook: HubWebhook
  private let clock: any TimeSource
  var planned: [Planned] = []
  private(set) var taken: Set<String> = []
  private(set) var told: Set<String> = []
  /// Called when a fault occurs.
  var onFault: (ReceiverFault) -> Void = { _ in }
  /// Called with a description of an invalid delivery.
  var onBroken: (String) -> Void = { _ in }

  init(webhook: HubWebhook, clock: any TimeSource) {
    self.webhook = webhook
    self.clock = clock
  }

  private struct Unanswered: Error {}

  func send(_ post: WebhookDelivery) async throws -> WebhookResponse {
    for index in planned.indices { planned[index].afterPosts -= 1 }
    guard let place = planned.firstIndex(where: { $0.afterPosts < 0 }) else {
      take(post)
      return WebhookResponse(status: 204)
    }
    let fault = planned.remove(at: place).fault
    onFault(fault)
    switch fault {
    case .unreachable: throw Unanswered()
    case .status(let status, let seconds):
      return WebhookResponse(status: status, retryAfter: seconds.map { .seconds($0) })
    case .answerLost:
      take(post)
      throw Unanswered()
    case .hangs(let seconds, let isTaken):
      try await clock.sleep(for: .seconds(seconds))
      if isTaken { take(post) }
      throw Unanswered()
    }
  }

  private func take(_ post: WebhookDelivery) {
    guard isSigned(post), let id = post.headers["Trendy-Delivery"],
      let document = try? WireJSON.decode([String: JSONValue].self, from: post.body), document["id"]?.stringValue == id,
      let changes = document["changes"]?.arrayValue
    else { return onBroken("a webhook delivery has an invalid signature") }
    guard taken.insert(id).inserted else { return }
    let versions = changes.compactMap { $0.objectValue?["id"]?.intValue }
    if versions != versions.sorted() || versions.count != changes.count {
      onBroken("webhook deliveries are not in version order")
    }
    for change in changes { told.insert(Self.words(change)) }
  }

  private func isSigned(_ post: WebhookDelivery) -> Bool {
    guard let signature = post.headers["Trendy-Signature"],
      let seconds = signature.split(separator: ",").first.flatMap({ Int64($0.dropFirst(2)) })
    else { return false }
    return signature == WebhookDelivery.signature(of: post.body, at: seconds, secret: webhook.secret)
  }

  static func words(_ change: JSONValue) -> String {
    // A change that cannot be encoded equals no other change.
    (try? WireJSON.encode(change)).map { String(decoding: $0, as: UTF8.self) } ?? "?"
  }
}
