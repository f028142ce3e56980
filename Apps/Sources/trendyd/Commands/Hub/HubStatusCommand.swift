import CommandSupport
import HubContainer
import TrendyFoundation
import TrendyModels

struct HubStatusCommand: DaemonCommand {
  static let spec = CommandSpec(
    "hub status", summary: "Show the data location, the state and the users of the hub.",
    group: .hub, examples: ["hub status", "hub status --json"],
    options: [
      OptionSpec(
        "--storage", value: "address", kind: .text, help: "current database of the hub (default: as saved)"),
      .data,
    ])

  init(_ session: DaemonSession) {}

  func act(_ session: DaemonSession) throws -> HubContainer.Status { try session.existingHub().status() }

  /// Prints the status. Returns ``ExitCode/no`` if the hub cannot save data.
  func show(_ answer: HubContainer.Status, _ session: DaemonSession) -> ExitCode {
    let console = session.console
    if console.isJSON { console.document("trendyd.hub-status/1", answer.members) }
    for line in answer.lines { console.text(line) }
    return answer.shortage == nil ? .done : .no
  }
}

extension HubContainer.Status {
  fileprivate var members: [(String, JSONText)] {
    [
      ("data", .string(place)), ("served", .bool(isServed)), ("device_url", .string(serving?.deviceURL)),
      ("processes", processCount.map { .number($0) } ?? .null), ("ready", .bool(shortage == nil)),
      ("shortage", .string(shortage)), ("people", .number(peopleCount)), ("devices", .number(deviceCount)),
      ("last_seen", .string(lastSeen.map { RFC3339.string(from: $0) })), ("webhooks", .number(webhookCount)),
      ("failing_webhooks", .number(failingWebhookCount)),
    ]
  }

  fileprivate var lines: [String] {
    var served = "not running; start it: trendyd run --role hub"
    if let processCount, processCount > 0 {
      served = "by \(processCount) process\(processCount == 1 ? "" : "es")"
    } else if let serving {
      served =
        (serving.port == 0 ? "at a Unix socket" : "at port \(serving.port)")
        + (serving.deviceURL.map { ", \($0) for devices" } ?? "")
    }
    let seen = lastSeen.map { ", last seen \(RFC3339.string(from: $0))" } ?? ""
    return [
      "Data:     \(place)", "Served:   \(served)", "Ready:    \(shortage.map { "no, \($0)" } ?? "yes")",
      "Users:    \(peopleCount)", "Devices:  \(deviceCount)\(seen)",
      "Webhooks: \(webhookCount)\(failingWebhookCount > 0 ? ", \(failingWebhookCount) failing" : "")",
    ]
  }
}
