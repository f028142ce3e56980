import CommandSupport
import TrendySync

/// The conflicts that wait for a person's decision.
struct ConflictList {
  let conflicts: [OpenConflict]

  init(_ recorder: Recorder) throws { conflicts = try recorder.openConflicts() }

  /// The id may be cut short, as long as it names one.
  func conflict(_ id: String) throws(CommandError) -> OpenConflict {
    let matches = conflicts.filter { !id.isEmpty && $0.id.hasPrefix(id) }
    guard matches.count == 1 else {
      throw CommandError(
        matches.isEmpty ? "No conflict '\(id)' waits for a decision" : "'\(id)' names \(matches.count) conflicts",
        hint: "trendy sync conflicts", exit: .notFound)
    }
    return matches[0]
  }
}
