import CommandSupport
import TrendyAgent
import TrendyModels

struct CompanionNoticesCommand: Command {
  static let spec = CommandSpec(
    "companion notices", summary: "List the trip notices that this device received, newest last.", group: .drive,
    examples: ["companion notices"],
    options: [
      OptionSpec("--limit", "-n", value: "n", kind: .number, help: "maximum number of notices (default 50; 0 for all)")
    ],
    columns: ["number", "time", "device", "kind", "id"])

  struct Told {
    var notice: CompanionNotice
    /// Name of the sending device, or an empty string if the device is no longer linked.
    var device: String
  }

  private let limit: Int

  init(_ session: Session) throws {
    let most = try session.wholeNumber(option: "--limit", in: 0...Int.max) ?? 50
    limit = most > 0 ? most : .max
  }

  func act(_ session: Session) throws -> [Told] {
    guard let store = try session.openCompanionStore() else { return [] }
    let names = Dictionary(try store.links().map { ($0.id, $0.peerName) }, uniquingKeysWith: { first, _ in first })
    return try store.received(limit: limit).map { Told(notice: $0.notice, device: names[$0.link] ?? "") }
  }

  func show(_ answer: [Told], _ session: Session) -> ExitCode {
    let (console, text) = (session.console, NoticeText(session))
    switch console.format {
    case .json:
      let notices = JSONText.array(answer.map { text.json($0.notice, from: $0.device) })
      console.document("trendy.notices/1", [("notices", notices)])
    case .ndjson: for told in answer { console.data("\(text.json(told.notice, from: told.device))") }
    case .plain: for told in answer { console.row(text.plain(told.notice, from: told.device)) }
    case .text:
      for told in answer { console.text(text.line(told.notice, from: told.device)) }
      if answer.isEmpty { console.text("No trip notices.") }
    }
    return .done
  }
}
