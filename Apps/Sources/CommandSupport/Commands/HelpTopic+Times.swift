extension HelpTopic {
  /// Help topic for time and duration formats.
  public static let times = HelpTopic("times", timeLines)

  /// Example phrases for times and their meanings.
  static let moments: [(phrases: [String], meaning: String)] = [
    (["8:30", "0830", "8h30", "9am", "9:30pm", "noon"], "the latest time that matches"),
    (["yesterday 21:00", "mon 9am", "Nov 20 8:30"], "a time on a given day"),
    (["last night", "this morning", "mon evening"], "23:00, 9:00, 19:00"),
    (["mon", "last friday", "20.11.2026", "2026-11-20"], "that day at the current time"),
    (["monday last week", "sun 2 weeks ago"], "a day in an earlier week"),
    (["-20m", "20 min ago", "2 hours ago"], "a time before now"),
    (["9:00 UTC", "9:00 Europe/Paris", "9:00+01:00"], "a time in another zone"),
    (["2026-11-20T08:30:00+01:00", "@1764144000"], "RFC 3339, or seconds since 1970"),
  ]
  static let ranges = ["9:00-10:30", "yesterday 9am to 11am"]
  static let limits = ["7d", "last month", "2026-W47", "2026-11", "2026"]
  static let lengths = ["45m", "1h30", "1h30m", "7:30", "45 min"]

  private static var timeLines: [String] {
    let rows = moments + [(ranges, "start and end, for --at"), (limits, "for --since and --until")]
    let cells = rows.map { (shown($0.phrases), $0.meaning) } + [(shown(lengths), "a duration, for --for")]
    let width = cells.map(\.0.count).max() ?? 0
    return ["Formats of --at, --from, --to, --since and --until:", ""]
      + cells.map { "  \($0.padded(to: width))  \($1)" } + [
        "", "An end time without a day is on the day of the start, or on the next day if it",
        "would precede the start: --from 23:30 --to 0:30. A day includes all of its",
        "hours: --since mon. Times are in the local time zone or in TZ; --utc reads and",
        "shows UTC. Days begin at day_starts_at, weeks on week_starts_on: trendy config",
        "list.",
      ]
  }

  /// Joins phrases, quoting those with spaces as a shell requires.
  private static func shown(_ phrases: [String]) -> String {
    phrases.map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: "  ")
  }
}
