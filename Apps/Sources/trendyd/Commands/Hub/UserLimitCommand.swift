import CommandSupport
import HubContainer
import TrendyHub

struct UserLimitCommand: DaemonCommand {
  static let spec = CommandSpec(
    "user limit", .one("name", .text, "name"),
    summary: "Show or set the quota of a user; deleted entries do not count.",
    group: .users,
    examples: ["user limit Ada --rows 50000", "user limit Ada --bytes none"],
    options: [
      OptionSpec(
        "--rows", value: "number", kind: .text,
        help: "maximum number of entries; none for no limit, default for the hub's limit"),
      OptionSpec("--bytes", value: "number", kind: .text, help: "maximum size in bytes; none or default as above"),
      .data,
    ])

  struct Answer {
    var user: HubUser
    var holding: HubContainer.Holding
    var quota: HubQuota
    var isChanged: Bool
  }

  private let name: String
  /// New maximum number of rows, `.some(nil)` for the hub's default, or `nil` if the option is not given.
  private let rows: Int64??
  private let bytes: Int64??

  init(_ session: DaemonSession) throws(CommandError) {
    name = session.arguments.positionals[0]
    rows = try Self.number("--rows", session)
    bytes = try Self.number("--bytes", session)
  }

  private static func number(_ option: String, _ session: DaemonSession) throws(CommandError) -> Int64?? {
    switch session.arguments.value(option) {
    case nil: return nil
    case "default"?: return .some(nil)
    case "none"?: return HubQuota.unlimited
    case let text?:
      guard let number = Int64(text), number >= 0 else {
        throw CommandError(
          "The value '\(text)' is invalid for '\(option)'", hint: "Use a whole number, none or default.",
          exit: .usage)
      }
      return number
    }
  }

  func act(_ session: DaemonSession) throws -> Answer {
    let hub = try session.existingHub()
    let accounts = hub.accounts
    let user = try PeopleLookup(accounts: accounts).user(called: name)
    var quota = try accounts.quota(of: user.id).own
    if let rows { quota.rows = rows }
    if let bytes { quota.bytes = bytes }
    if rows != nil || bytes != nil { try accounts.setQuota(quota, of: user.id) }
    return Answer(
      user: user, holding: try hub.holding(of: user.id),
      quota: quota.otherwise(try HubSettings.load(from: hub.directory).quota()), isChanged: rows != nil || bytes != nil)
  }

  func show(_ answer: Answer, _ session: DaemonSession) -> ExitCode {
    if session.console.isJSON {
      session.console.document(
        "trendyd.user/1", answer.user.members + answer.holding.quotaMembers(within: answer.quota))
    }
    let isLimited = [answer.quota.rows, answer.quota.bytes].contains { $0 != nil && $0 != HubQuota.unlimited }
    let end = !isLimited ? ", no limit" : answer.isChanged ? ". The limit applies to the next write." : ""
    session.console.done("\(answer.user.name): \(answer.holding.words(within: answer.quota))\(end)")
    return .done
  }
}

extension HubContainer.Holding {
  func quotaMembers(within quota: HubQuota) -> [(String, JSONText)] {
    func number(_ value: Int64?) -> JSONText {
      value.flatMap { $0 == HubQuota.unlimited ? nil : .number(Int($0)) } ?? .null
    }
    return [
      ("rows", .number(Int(rows))), ("content_bytes", .number(Int(contentBytes))), ("rows_limit", number(quota.rows)),
      ("bytes_limit", number(quota.bytes)),
    ]
  }

  func words(within quota: HubQuota) -> String {
    func limit(_ value: Int64?) -> String {
      value.flatMap { $0 == HubQuota.unlimited ? nil : " of \($0)" } ?? ""
    }
    return "\(rows)\(limit(quota.rows)) entries, \(contentBytes)\(limit(quota.bytes)) bytes"
  }
}
