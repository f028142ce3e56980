extension HelpTopic {
  /// How to say when, and how long.
  public static let times = HelpTopic("times", timeLines)

  /// Times, and what they mean.
  static let moments: [(phrases: [String], meaning: String)] = [
    (["8:30", "0830", "9am", "9:30pm", "noon"], "a clock alone: the last that was"),
    (["yesterday 21:00", "mon 9am", "Nov 20 8:30"], "on a day"),
    (["mon", "last friday", "20.11.2026", "2026-11-20"], "a day: the last of its name"),
    (["-20m", "20 min ago", "2 hours ago"], "so long ago"),
    (["2026-11-20T08:30:00+01:00"], "RFC 3339"),
  ]
  static let ranges = ["9:00-10:30", "yesterday 9am to 11am"]
  static let limits = ["7d", "last month", "2026-11", "2026"]
  static let lengths = ["45m", "1h30", "1h30m", "7:30", "45 min"]

  private static var timeLines: [String] {
    let rows = moments + [(ranges, "from and to, after --at"), (limits, "after --since and --until")]
    let cells = rows.map { (shown($0.phrases), $0.meaning) } + [(shown(lengths), "a length, after --for")]
    let width = cells.map(\.0.count).max() ?? 0
    return ["How to say when: after --at, --from, --to, --since, --until.", ""]
      + cells.map { "  \($0.padded(to: width))  \($1)" } + [
        "", "An end without a day is on the day of the start, or on the next where it would",
        "come before it: --from 23:30 --to 0:30. A day is meant whole: --since mon.",
        "Times are those of the zone here, or of TZ; --utc reads and shows UTC. A day",
        "begins at day_starts_at, a week on week_starts_on: trendy config list.",
      ]
  }

  /// As a shell takes them.
  private static func shown(_ phrases: [String]) -> String {
    phrases.map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: "  ")
  }
}
