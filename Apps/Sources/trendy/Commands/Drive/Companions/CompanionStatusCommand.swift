import CommandSupport
import TrendyAgent

struct CompanionStatusCommand: Command {
  static let spec = CommandSpec(
    "companion status",
    summary: "Show the companions of this device and pending notices.", group: .drive,
    examples: ["companion status"], columns: ["role", "device", "last notice", "waiting"])

  struct Companion {
    var link: CompanionStore.Link
    /// Number of undelivered notices.
    var waiting: Int
  }

  init(_ session: Session) {}

  func act(_ session: Session) throws -> [Companion] {
    guard let store = try session.openCompanionStore() else { return [] }
    return try store.links().map { Companion(link: $0, waiting: try store.waitingCount(for: $0.id)) }
  }

  func show(_ answer: [Companion], _ session: Session) -> ExitCode {
    let console = session.console
    switch console.format {
    case .json, .ndjson:
      console.document("trendy.companions/1", [("companions", .array(answer.map { json($0) }))])
    case .plain:
      for companion in answer {
        let link = companion.link
        console.row([link.role.rawValue, link.peerName, "\(link.lastSequence)", "\(companion.waiting)"])
      }
    case .text:
      for companion in answer { console.text(line(companion)) }
      if answer.isEmpty {
        console.text("No companions. To add one: trendy companion pair DEVICE, or trendy companion follow DEVICE")
      }
    }
    return .done
  }

  private func line(_ companion: Companion) -> String {
    let link = companion.link
    return link.role == .tracker
      ? "notifies \(link.peerName): \(Quantity(Int(link.lastSequence), "notice")), \(companion.waiting) pending"
      : "receives from \(link.peerName): \(Quantity(Int(link.lastSequence), "notice"))"
  }

  private func json(_ companion: Companion) -> JSONText {
    let link = companion.link
    return .object([
      ("id", .string(link.id)), ("role", .string(link.role.rawValue)), ("device", .string(link.peerName)),
      ("device_id", .string(link.peerId)), ("last_seq", .number(link.lastSequence)),
      ("waiting", .number(companion.waiting)),
    ])
  }
}
