/// Command names from other programs, mapped to the corresponding Trendy commands.
enum OtherWords {
  /// Trendy commands in order of preference, keyed by the name in other programs.
  private static let words: [String: [String]] = {
    let meant: [([String], [String])] = [
      (["add", "new", "record", "create", "make", "insert"], ["log", "add"]),
      (["delete", "remove", "del", "erase", "unlink", "forget"], ["rm"]),
      (["ls", "all", "entries", "events", "history", "find", "search", "grep"], ["list", "history"]),
      (["modify", "change", "update", "mod", "set", "rename", "amend"], ["edit", "set"]),
      (["info", "view", "cat", "display", "details", "get"], ["show", "list"]),
      (["begin", "in", "timer"], ["start"]),
      (["end", "finish", "out", "done"], ["stop", "end"]),
      (["abort", "discard"], ["cancel", "drop"]),
      (["resume"], ["continue"]),
      (["annotate", "denotate", "note", "shorten", "lengthen"], ["edit"]),
      (["day", "agenda", "next", "now"], ["today"]),
      (["version"], ["--version"]),
      (["join", "combine"], ["merge"]),
      (["revert", "rollback"], ["undo"]),
      (["why", "reason"], ["explain"]),
      (["summary"], ["report", "week"]),
      (["totals", "timesheet"], ["hours", "report"]),
      (["statistics", "stat"], ["stats"]),
      (["calendar", "heatmap"], ["cal"]),
      (["graph", "plot"], ["chart"]),
      (["setup"], ["init", "add"]),
      (["pair", "login", "link", "join"], ["connect"]),
      (["logout", "unlink", "unpair"], ["disconnect"]),
      (["pull", "push", "fetch"], ["sync"]),
      (["save", "dump"], ["backup", "export"]),
      (["load"], ["import", "restore"]),
      (["settings", "preferences", "options"], ["config"]),
      (["check", "verify", "fsck"], ["doctor", "check"]),
      (["man", "usage", "commands"], ["help"]),
      (["types", "habits", "tags", "tag", "projects", "goal", "goals"], ["type"]),
      (["places", "geofence", "geofences"], ["place"]),
      (["trips", "drives", "drive"], ["trip"]),
      (["cars", "car", "vehicles"], ["vehicle"]),
    ]
    var words: [String: [String]] = [:]
    for (others, here) in meant {
      for other in others { words[other, default: []] += here }
    }
    return words
  }()

  /// Returns the first of `candidates` that corresponds to a name used by another program, or `nil`.
  static func here(for word: String, among candidates: [String]) -> String? {
    words[word.lowercased()]?.first(where: candidates.contains)
  }
}
