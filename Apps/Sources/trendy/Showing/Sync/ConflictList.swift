import CommandSupport
import TrendySync

/// Unresolved conflicts.
struct ConflictList {
  let conflicts: [OpenConflict]

  init(_ recorder: Recorder) throws { conflicts = try recorder.openConflicts() }

  /// Finds a conflict by id, by a unique prefix of it, or by its position in the list, `@1`.
  func conflict(_ id: String) throws(CommandError) -> OpenConflict {
    if id.hasPrefix("@"), let position = Int(id.dropFirst()), conflicts.indices.contains(position - 1) {
      return conflicts[position - 1]
    }
    let matches = conflicts.filter { !id.isEmpty && $0.id.hasPrefix(id) }
    guard matches.count == 1 else {
      throw CommandError(
        matches.isEmpty ? "Conflict '\(id)' not found" : "\(matches.count) conflicts have ids that begin with '\(id)'",
        hint: "List conflicts: trendy sync conflicts", exit: .notFound)
    }
    return matches[0]
  }
}
