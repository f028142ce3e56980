extension InterchangeFormat {
  static let timeSheets = [
    InterchangeFormat(
      "taskwarrior", "Taskwarrior", "Output of 'task export': one event for each completed task.", reads: .events,
      basis: "the published format; an export of Taskwarrior 2.6", recognise: { Taskwarrior.isBeginning(of: $0) },
      read: { input, options, body in try Taskwarrior.read(input, options, body) }),
    InterchangeFormat(
      "timewarrior", "Timewarrior", "Data files (inc lines), or output of 'timew export'.", reads: .events,
      basis: "the program's source; files of Timewarrior 1.4",
      recognise: { Timewarrior.isLines($0) || Timewarrior.isExport($0) },
      read: { input, options, body in try Timewarrior.read(input, options, body) }),
    InterchangeFormat(
      "watson", "Watson", "The file frames, or output of 'watson log --json'.", reads: .events,
      basis: "the program's source; files of Watson 2.1", recognise: { Watson.isBeginning(of: $0) },
      read: { input, options, body in try Watson.read(input, options, body) }),
    InterchangeFormat(
      "activitywatch", "ActivityWatch", "Exported buckets: the active program while the computer was in use.",
      reads: .events, basis: "the program's source; three real files", recognise: { ActivityWatch.isBeginning(of: $0) },
      read: { input, options, body in try ActivityWatch.read(input, options, body) }),
  ]
}
