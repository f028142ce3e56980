import CommandSupport

struct ConfigListCommand: Command {
  static let spec = CommandSpec(
    "config list", summary: "List all settings with their values and where each comes from.", group: .system,
    examples: ["config list", "config list --json"])

  init(_ session: Session) {}

  func act(_ session: Session) throws -> [SettingText] {
    let settings = try session.allSettings()
    return Setting.all.map { SettingText(spec: $0, value: settings.resolved($0)) }
  }

  func show(_ answer: [SettingText], _ session: Session) -> ExitCode {
    let console = session.console
    switch console.format {
    case .json: console.document("trendy.settings/1", [("settings", .array(answer.map(\.json)))])
    case .ndjson: for row in answer { console.data("\(row.json)") }
    case .plain: for row in answer { console.row(row.plain) }
    case .text:
      let keys = answer.map(\.spec.key.count).max() ?? 0
      // On a narrow terminal, omit the origin before shortening the value.
      let isWide = (console.terminal.width ?? .max) >= 70
      let values = isWide ? min(40, answer.map(\.words.columns).max() ?? 0) : 0
      for row in answer {
        console.text(
          StyledText([
            StyledText.Part(row.spec.key.padded(to: keys), .name(color: nil)),
            StyledText.Part(row.words.padded(to: values), rank: isWide ? .needed : .note),
            StyledText.Part(row.value.origin.words, .dim, rank: isWide ? .needed : .id),
          ]))
      }
    }
    return session.reportConfigurationProblems()
  }
}

struct SettingText {
  let spec: SettingSpec
  let value: Settings.Resolved

  var words: String { value.text ?? "-" }

  /// Columns for `--plain`: key, value, kind of origin, origin, owner.
  var plain: [String] { [spec.key, value.text ?? "", value.origin.name, value.origin.words, spec.owner.rawValue] }

  var json: JSONText {
    .object([
      ("key", .string(spec.key)), ("value", .string(value.text)), ("source", .string(value.origin.name)),
      ("where", .string(value.origin.words)), ("owner", .string(spec.owner.rawValue)),
      ("default", .string(spec.standard)), ("variable", .string(spec.isInRecordAlone ? nil : spec.variable)),
      ("help", .string(spec.help)),
    ])
  }
}

extension Session {
  /// Prints all errors in the configuration file and environment. Returns exit status 78 if there are any.
  func reportConfigurationProblems() -> ExitCode {
    let problems = settings.problems
    for problem in problems { _ = console.report(problem) }
    for sentence in settings.strayVariables { console.talk("Note: \(sentence)") }
    return problems.isEmpty ? .done : .configuration
  }
}
