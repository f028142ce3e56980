import Foundation
import TrendyHub
import TrendyModels
import TrendyTesting

// MARK: A webhook of the shared record: every change must be delivered despite hub crashes and receiver faults
extension SimulationRun {
  struct Delivery {
    let server: HubServer
    let task: Task<Void, Never>
  }

  func beginWebhook() throws {
    let webhook = try hub.server.accounts.addWebhook(user: hub.user, url: "https://receiver.example/hook")
    let receiver = SimulatedWebhookReceiver(webhook: webhook, clock: clock)
    receiver.onFault = { [unowned self] in
      count($0.kind)
      tell("  the webhook's receiver: \($0)")
    }
    receiver.onBroken = { [unowned self] in ledger.report(.webhookReceivesEverything, $0) }
    self.receiver = receiver
  }

  /// Runs the deliveries on exactly those hubs that are running.
  func keepDelivering() async {
    guard let receiver else { return }
    await stopDelivering { [hub] in !hub.isServing($0) }
    for server in hub.servers where !deliveries.contains(where: { $0.server === server }) {
      let task = Task(executorPreference: executor) {
        await server.deliverWebhooks(by: receiver) { _ in }
      }
      deliveries.append(Delivery(server: server, task: task))
    }
  }

  func stopDelivering(where isOver: (HubServer) -> Bool = { _ in true }) async {
    let ended = deliveries.filter { isOver($0.server) }
    deliveries.removeAll { delivery in ended.contains { $0.server === delivery.server } }
    for delivery in ended { delivery.task.cancel() }
    for delivery in ended { await delivery.task.value }
  }

  /// Checks that every change has been delivered after the retries, which hubs make at least once an hour.
  func checkWebhookAtRest() async {
    guard let receiver else { return }
    receiver.planned = []
    var missing: [String] = []
    for _ in 0..<Self.longestRetries {
      await keepDelivering()
      missing = untold(by: receiver)
      if missing.isEmpty { break }
      await clock.advance(by: .seconds(300))
    }
    await stopDelivering()
    if let first = missing.first {
      ledger.report(
        .webhookReceivesEverything, "\(missing.count) changes were never delivered to the webhook, such as \(first)"
      )
    }
  }

  /// Number of five-minute steps: twice the longest interval between two deliveries.
  private static let longestRetries = 30

  private func untold(by receiver: SimulatedWebhookReceiver) -> [String] {
    hub.entries(of: hub.user).compactMap { entry -> String? in
      let text = entry.line(user: hub.user).text
      guard let line = try? WireJSON.decode(JSONValue.self, from: text),
        !receiver.told.contains(SimulatedWebhookReceiver.words(line))
      else { return nil }
      return "\(entry.kind) \(entry.id) at \(entry.version)"
    }
  }
}
