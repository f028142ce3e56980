import CommandSupport
import HubContainer
import TrendyHub
import TrendyModels

struct UserListCommand: DaemonCommand {
  static let spec = CommandSpec(
    "user list", summary: "List users with their data sizes and devices.", group: .users,
    examples: ["user list"], options: [.data])

  struct Row {
    var user: HubUser
    var devices: [HubDevice]
    var holding: HubContainer.Holding
    var quota: HubQuota
  }

  init(_ session: DaemonSession) {}

  func act(_ session: DaemonSession) throws -> [Row] {
    let hub = try session.existingHub()
    let accounts = hub.accounts
    let users = try PeopleLookup(accounts: accounts).everyone()
    let devices = try accounts.devices()
    let usual = try HubSettings.load(from: hub.directory).quota()
    return try users.map { user in
      let holding = try hub.holding(of: user.id)
      return Row(
        user: user, devices: devices.filter { $0.user == user.id && $0.revokedAt == nil }, holding: holding,
        quota: holding.quota.otherwise(usual))
    }
  }

  func show(_ answer: [Row], _ session: DaemonSession) -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendyd.users/1", [("users", .array(answer.map(\.json)))])
    }
    for row in answer { for line in row.lines { session.console.text(line) } }
    return .done
  }
}

extension UserListCommand.Row {
  fileprivate var json: JSONText {
    .object(
      user.members + [
        ("created_at", .string(RFC3339.string(from: user.createdAt))), ("devices", .number(devices.count)),
        ("last_seen", .string(devices.compactMap(\.seenAt).max().map { RFC3339.string(from: $0) })),
        ("bytes", holding.bytes.map { .number(Int($0)) } ?? .null),
        ("seen", .array(devices.map(Self.json))),
        ("removed_at", .string(user.removedAt.map { RFC3339.string(from: $0) })),
        ("erasing", .bool(user.isErasing)),
      ] + holding.quotaMembers(within: quota))
  }

  private static func json(_ device: HubDevice) -> JSONText {
    .object([
      ("id", .string(device.id)), ("name", .string(device.name)),
      ("last_seen", .string(device.seenAt.map { RFC3339.string(from: $0) })),
    ])
  }

  fileprivate var lines: [String] {
    let end = user.removedAt.map { "  removed \($0.day)\(user.isErasing ? ", being erased" : "")" } ?? ""
    let count = "\(devices.count) device\(devices.count == 1 ? "" : "s")"
    let size = holding.bytes.map { ", \(($0 + 1023) / 1024) KiB" } ?? ""
    func limit(_ value: Int64?, _ unit: String) -> String {
      value.flatMap { $0 == HubQuota.unlimited ? nil : ", limit \($0) \(unit)" } ?? ""
    }
    let limits = limit(quota.rows, "entries") + limit(quota.bytes, "bytes")
    let own = "\(user.name)  \(count)  \(holding.rows) entries\(size)\(limits)  since \(user.createdAt.day)\(end)"
    return [own] + devices.map { "  \($0.name)  \($0.seenAt.map { "seen \($0.day)" } ?? "never seen")" }
  }
}
