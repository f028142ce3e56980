import CommandSupport
import HubContainer

struct CheckConfigCommand: DaemonCommand {
  static let spec = CommandSpec(
    "check-config", summary: "Check the configuration and report each error with its line.", group: .run,
    examples: ["check-config", "check-config --json"])

  struct Answer {
    let path: String
    let isThere: Bool
    let problems: [CommandError]
  }

  init(_ session: DaemonSession) {}

  func act(_ session: DaemonSession) -> Answer {
    var problems = session.settings.problems
    // Checks that only the daemon performs, such as the syntax of addresses.
    if problems.isEmpty {
      do throws(CommandError) {
        try session.check()
      } catch {
        problems.append(error)
      }
    }
    return Answer(path: session.settings.file.path, isThere: session.settings.file.exists, problems: problems)
  }

  func show(_ answer: Answer, _ session: DaemonSession) -> ExitCode {
    if session.console.isJSON {
      let problems = answer.problems.map {
        JSONText.object([("message", .string($0.message)), ("hint", .string($0.hint))])
      }
      session.console.document(
        "trendyd.check_config/1",
        [("path", .string(answer.path)), ("exists", .bool(answer.isThere)), ("problems", .array(problems))])
    } else {
      for problem in answer.problems { _ = session.console.report(problem) }
    }
    for sentence in session.settings.strayVariables { session.console.talk("Note: \(sentence)") }
    guard answer.problems.isEmpty else { return .configuration }
    session.console.done(
      answer.isThere ? "\(answer.path) is valid." : "\(answer.path) does not exist; the defaults apply.")
    return .done
  }
}
