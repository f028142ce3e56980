import CommandSupport
import TrendySync

struct ConflictList {
  let conflicts: [OpenConflict]

  init(_ recorder: Recorder) throws { conflicts = try recorder.openConflicts() }

  /// Returns the conflict with the given id, unique id prefix or position in the list (`@1`).
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
