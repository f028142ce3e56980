import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyPersistence

/// `trendy doctor`
struct DoctorCommand: Command {
  static let spec = CommandSpec(
    "doctor", summary: "Look through the whole store, compare it with the hub, and say what is wrong.", group: .care,
    examples: ["doctor", "doctor --repair"],
    options: [
      OptionSpec(
        "--repair",
        help:
          "save all that is whole into new files and set the damaged ones aside; set right what differs from the hub"),
      OptionSpec("--local", help: "do not ask the hub"),
    ])

  struct Answer {
    var checkup: StoreCheckup
    /// `nil` where none was asked for.
    var repair: RepairText?
    /// `nil` where no hub was asked.
    var hub: HubCheckup?
    /// Of the exports that the agent makes by itself; `nil` where none are made.
    var exports: ExportStandingText?
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
    // What is damaged is repaired first: a sync would only meet it.
    if answer.checkup.findings.isEmpty {
      answer.exports = try ExportStandingText(session, AppContainer(storeDirectory: session.storeDirectory))
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
      for line in answer.hub?.lines ?? [] { session.console.text(line) }
      if let finding = answer.exports?.finding { session.console.data("- \(finding)") }
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

  private func json(_ finding: StoreFinding) -> JSONText {
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
      console.text("The store at \(session.storeDirectory.path) is whole: \(contents).")
    }
    let findings = Excerpt(checkup.findings)
    for finding in findings.shown {
      console.data("- \(finding.place)\(finding.what)")
      console.data("  \(finding.advice)")
    }
    if let rest = findings.rest { console.data(rest) }
    if files.cutBytes > 0 {
      console.text(
        "A save that never finished (\(files.cutBytes) bytes) is left out; nobody was told that it was saved.")
    }
    if !files.setAside.isEmpty {
      let names = files.setAside.joined(separator: ", ")
      console.text("Kept aside in the same folder: \(names). Remove them when you need them no more.")
    }
  }
}
