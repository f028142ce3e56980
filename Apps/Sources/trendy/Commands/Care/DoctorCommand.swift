import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyPersistence

struct DoctorCommand: Command {
  static let spec = CommandSpec(
    "doctor", summary: "Check the whole store, compare it with the hub, and report problems.", group: .system,
    examples: ["doctor", "doctor --repair"],
    options: [
      OptionSpec(
        "--repair",
        help:
          "copy all intact data to new files, move damaged files aside, and correct differences from the hub"),
      OptionSpec("--local", help: "do not contact the hub"),
    ])

  struct Answer {
    var checkup: StoreCheckup
    /// Result of the repair, or `nil` without `--repair`.
    var repair: RepairText?
    /// Comparison with the hub, or `nil` if the hub was not contacted.
    var hub: HubCheckup?
    /// State of scheduled exports, or `nil` if none are scheduled.
    var exports: ScheduledExportStatusText?
  }

  private let isRepairing: Bool
  private let asksHub: Bool

  init(_ session: Session) {
    isRepairing = session.arguments.has("--repair")
    asksHub = !session.arguments.has("--local")
  }

  func act(_ session: Session) throws -> Answer {
    var answer: Answer
    do {
      answer = try lookThroughStore(at: session.storeDirectory)
    } catch .missing {
      throw CommandError.noStore(at: session.storeDirectory.path)
    }
    // Only an intact store is compared with the hub. A damaged store must be repaired first.
    if answer.checkup.findings.isEmpty {
      answer.exports = try ScheduledExportStatusText(session, AppContainer(storeDirectory: session.storeDirectory))
    }
    if asksHub, answer.checkup.findings.isEmpty {
      answer.hub = try HubCheckup(session, isRepairing: isRepairing)
    }
    return answer
  }

  private func lookThroughStore(at directory: URL) throws(StorageError) -> Answer {
    var repair: RepairText?
    if isRepairing { repair = RepairText(report: try StoreCheckup.repair(storeDirectory: directory)) }
    return Answer(checkup: try StoreCheckup(storeDirectory: directory), repair: repair)
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    if session.console.isJSON {
      showDocument(answer, session)
    } else {
      answer.repair?.show(session.console)
      showWords(answer.checkup, session)
      for line in answer.hub?.lines ?? [] { session.console.sentence(line, hanging: 2) }
      if let finding = answer.exports?.finding {
        for line in session.console.terminal.lines(of: "- \(finding)", hanging: 2) { session.console.data(line) }
      }
    }
    return answer.checkup.findings.isEmpty && answer.hub?.agrees != false && answer.exports?.finding == nil
      ? .done : .no
  }

  private func showDocument(_ answer: Answer, _ session: Session) {
    let files = answer.checkup.files
    session.console.document(
      "trendy.doctor/1",
      [
        ("store", .string(session.storeDirectory.path)), ("rows", .number(files.records)),
        ("files", .number(files.files)), ("bytes", .number(files.bytes)), ("cut_bytes", .number(files.cutBytes)),
        ("findings", .array(answer.checkup.findings.map { json($0) })),
        ("set_aside", .array(files.setAside.map { .string($0) })), ("repair", answer.repair?.json ?? .null),
        ("hub", answer.hub?.json ?? .null), ("exports", answer.exports?.json ?? .null),
      ])
  }

  private func json(_ finding: StoreIssue) -> JSONText {
    .object([
      ("kind", .string(finding.kind.rawValue)), ("file", .string(finding.path)),
      ("offset", finding.offset.map { .number($0) } ?? .null), ("what", .string(finding.what)),
      ("advice", .string(finding.advice)),
    ])
  }

  private func showWords(_ checkup: StoreCheckup, _ session: Session) {
    let (console, files) = (session.console, checkup.files)
    if checkup.findings.isEmpty {
      let contents = "\(Quantity(files.records, "row")) in \(Quantity(files.files, "file"))"
      console.sentence("The store at \(session.storeDirectory.path) is intact: \(contents).")
    }
    let findings = Excerpt(checkup.findings)
    for finding in findings.shown {
      for line in console.terminal.lines(of: "- \(finding.place)\(finding.what)", hanging: 2) { console.data(line) }
      for line in console.terminal.lines(of: finding.advice, indent: 2) { console.data(line) }
    }
    if let rest = findings.rest { console.data(rest) }
    if files.cutBytes > 0 {
      console.sentence("Ignored an incomplete save of \(files.cutBytes) bytes that was never confirmed.")
    }
    if !files.setAside.isEmpty {
      let names = files.setAside.joined(separator: ", ")
      console.sentence("Damaged files moved aside in the same folder: \(names). Delete them when no longer needed.")
    }
  }
}
