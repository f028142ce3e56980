import Foundation
import TrendyHub
import TrendyModels
import TrendyProtocols

/// Something that happens to one delivery to a webhook's receiver.
public enum ReceiverFault: Hashable, Sendable {
  /// Nobody takes the connection.
  case unreachable
  /// The receiver refuses it, and may say when to come back.
  case status(Int, retryAfter: Int?)
  /// It is taken, and the answer is lost.
  case answerLost
  /// Nothing is heard for so long, and then it is taken, or was lost on the way; whoever posted has given up.
  case hangs(seconds: Int, isTaken: Bool)
}

extension ReceiverFault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unreachable: "nobody takes it"
    case .status(let status, _): "answered \(status)"
    case .answerLost: "taken, and the answer lost"
    case .hangs(let seconds, let isTaken): "\(isTaken ? "taken" : "lost") after \(seconds) s without an answer"
    }
  }

  /// What it counts as among the faults.
  var kind: String {
    switch self {
    case .unreachable: "receiver_unreachable"
    case .status: "receiver_refused"
    case .answerLost: "receiver_answer_lost"
    case .hangs: "receiver_hung"
    }
  }
}

/// Who is told of what changes: it takes each delivery once, by its id, as receivers are told to, and believes what is signed.
///
/// @unchecked: touched only by the pieces of one story, which one executor runs one at a time.
final class SimulatedReceiver: WebhookSender, @unchecked Sendable {
  struct Planned {
    var fault: ReceiverFault
    var afterPosts: Int
  }

  private let webhook: HubWebhook
  private let clock: any TimeSource
  var planned: [Planned] = []
  /// Ids of the deliveries that were taken.
  private(set) var taken: Set<String> = []
  /// Of each change that it was told of, the line.
  private(set) var told: Set<String> = []
  /// Told of each fault when it fires.
  var onFault: (ReceiverFault) -> Void = { _ in }
  /// Told what is wrong with a delivery.
  var onBroken: (String) -> Void = { _ in }

  init(webhook: HubWebhook, clock: any TimeSource) {
    self.webhook = webhook
    self.clock = clock
  }

  private struct Unanswered: Error {}

  func send(_ post: WebhookPost) async throws -> WebhookAnswer {
    for index in planned.indices { planned[index].afterPosts -= 1 }
    guard let place = planned.firstIndex(where: { $0.afterPosts < 0 }) else {
      take(post)
      return WebhookAnswer(status: 204)
    }
    let fault = planned.remove(at: place).fault
    onFault(fault)
    switch fault {
    case .unreachable: throw Unanswered()
    case .status(let status, let seconds):
      return WebhookAnswer(status: status, retryAfter: seconds.map { .seconds($0) })
    case .answerLost:
      take(post)
      throw Unanswered()
    case .hangs(let seconds, let isTaken):
      try await clock.sleep(for: .seconds(seconds))
      if isTaken { take(post) }
      throw Unanswered()
    }
  }

  private func take(_ post: WebhookPost) {
    guard isSigned(post), let id = post.headers["Trendy-Delivery"],
      let document = try? WireJSON.decode([String: JSONValue].self, from: post.body), document["id"]?.stringValue == id,
      let changes = document["changes"]?.arrayValue
    else { return onBroken("a webhook's receiver cannot believe what it is told") }
    guard taken.insert(id).inserted else { return }
    let versions = changes.compactMap { $0.objectValue?["id"]?.intValue }
    if versions != versions.sorted() || versions.count != changes.count {
      onBroken("a webhook's receiver is told in another order than that of the versions")
    }
    for change in changes { told.insert(Self.words(change)) }
  }

  private func isSigned(_ post: WebhookPost) -> Bool {
    guard let signature = post.headers["Trendy-Signature"],
      let seconds = signature.split(separator: ",").first.flatMap({ Int64($0.dropFirst(2)) })
    else { return false }
    return signature == WebhookPost.signature(of: post.body, at: seconds, secret: webhook.secret)
  }

  /// A change as its line says it, whatever the order of its members.
  static func words(_ change: JSONValue) -> String {
    // What cannot be written equals nothing.
    (try? WireJSON.encode(change)).map { String(decoding: $0, as: UTF8.self) } ?? "?"
  }
}
