import AppContainer
import CommandSupport
import TrendyAgent
import TrendySync

/// Conflicts to resolve in the same way: those named on the command line, or all that the resolution applies to.
struct ConflictDecision {
  static let all = OptionSpec("--all", help: "every conflict")

  /// Ids given on the command line, or an empty array for `--all`.
  private let ids: [String]

  init(on ids: some Sequence<String>, _ session: Session) throws(CommandError) {
    self.ids = Array(ids)
    guard self.ids.isEmpty == session.arguments.has("--all") else {
      throw session.usageError(
        self.ids.isEmpty ? "Missing conflict id" : "--all cannot be combined with ids",
        hint: "List conflicts: trendy sync conflicts")
    }
  }

  /// Resolves the conflicts in one save and as one undo step.
  ///
  /// `label` names the resolution in the undo list, such as `retry`. With `--all`, `isMeant` returns whether the
  /// resolution applies to a conflict. `decide` resolves the conflict with the given id.
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

struct DecidedConflicts {
  var conflicts: [OpenConflict]
  /// Number of conflicts that the resolution does not apply to.
  var left = 0

  /// Prints one line per conflict. Each line starts with `decision`, such as `Kept mine`.
  func show(_ decision: String, _ session: Session) -> ExitCode {
    let (console, text) = (session.console, ConflictText(session))
    if console.isJSON {
      console.document(
        "trendy.decided/1", [("conflicts", .array(conflicts.map { text.json($0) })), ("left", .number(left))])
    }
    for conflict in conflicts { console.done("\(decision): \(conflict.kept.keys.sorted().joined(separator: ", "))") }
    if conflicts.isEmpty { console.text("No conflicts to resolve this way.") }
    if left > 0 { console.text("Unchanged: \(Quantity(left, "conflict")) that cannot be resolved this way.") }
    return .done
  }
}
