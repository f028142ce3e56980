import AppContainer
import CommandSupport
import TrendyAgent
import TrendySync

/// What is to be decided: the conflicts that a command line names, or all for which the decision can be one.
struct ConflictDecision {
  static let all = OptionSpec("--all", help: "every conflict")

  /// Empty for all.
  private let ids: [String]

  init(on ids: some Sequence<String>, _ session: Session) throws(CommandError) {
    self.ids = Array(ids)
    guard self.ids.isEmpty == session.arguments.has("--all") else {
      throw session.usageError(
        self.ids.isEmpty ? "Missing the id of a conflict" : "--all is instead of ids",
        hint: "trendy sync conflicts lists them.")
    }
  }

  /// All in one save, which can be taken back.
  /// - Parameter label: the decision, as a person names it: `retry`.
  func carryOut(
    _ label: String, in session: Session, among isMeant: (OpenConflict) -> Bool = { _ in true },
    _ decide: (RecorderChanges, String) throws -> Void
  ) throws -> DecidedConflicts {
    let container = try session.openStore()
    let open = try ConflictList(container.recorder)
    var decided = DecidedConflicts(conflicts: try ids.map { try open.conflict($0) })
    if ids.isEmpty {
      decided.conflicts = open.conflicts.filter(isMeant)
      decided.left = open.conflicts.count - decided.conflicts.count
    }
    var seen: Set<String> = []
    decided.conflicts.removeAll { !seen.insert($0.id).inserted }
    guard !decided.conflicts.isEmpty else { return decided }
    let count = Quantity(decided.conflicts.count, "conflict")
    try container.record.perform("\(label) \(count)", isDivisible: true) { save in
      for conflict in decided.conflicts { try decide(save, conflict.id) }
    }
    return decided
  }
}

/// The conflicts that a decision ended.
struct DecidedConflicts {
  var conflicts: [OpenConflict]
  /// How many it could not be a decision for.
  var left = 0

  /// - Parameter decision: as it is told of each: `Kept mine`.
  func show(_ decision: String, _ session: Session) -> ExitCode {
    let (console, text) = (session.console, ConflictText(session))
    if console.isJSON {
      console.document(
        "trendy.decided/1", [("conflicts", .array(conflicts.map { text.json($0) })), ("left", .number(left))])
    }
    for conflict in conflicts { console.done("\(decision): \(conflict.kept.keys.sorted().joined(separator: ", "))") }
    if conflicts.isEmpty { console.text("Nothing waits for such a decision.") }
    if left > 0 { console.text("Left as they are: \(left), for which that is no decision.") }
    return .done
  }
}
