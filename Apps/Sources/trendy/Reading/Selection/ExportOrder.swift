import AgentLink
import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation

/// Request to start or stop scheduled exports (`trendy export --every`), which are configured in the settings.
struct ExportOrder {
  /// Options for scheduled exports except `--to`, whose meaning differs between commands.
  static let options = [
    OptionSpec(
      "--every", value: "interval", kind: .duration,
      help: "export to the folder of --to at this interval: 1d, 7d, 6h; never stops the exports"),
    OptionSpec("--keep", value: "number", kind: .number, help: "with --every: number of files to keep (default 14)"),
  ]

  enum Outcome {
    case ordered(ExportPlan, isHeard: Bool)
    case ended
  }

  /// Settings to save, or `nil` to stop scheduled exports.
  private let values: [(SettingSpec, String)]?

  /// Parses `--every` and `--keep`, or returns `nil` without `--every`. `to` is the option for the destination folder.
  init?(_ session: Session, format: String, to: String) throws(CommandError) {
    let arguments = session.arguments
    guard let interval = arguments.value("--every") else {
      if arguments.has("--keep") { throw session.usageError("--keep requires --every") }
      return nil
    }
    let taken: Set = ["--every", "--keep", to]
    if let other = session.command.options.first(where: { arguments.has($0.key) && !taken.contains($0.key) }) {
      throw session.usageError("'\(other.key)' cannot be combined with --every, which exports everything")
    }
    guard !["never", "off", "none"].contains(interval.lowercased()) else {
      values = nil
      return
    }
    guard let folder = arguments.value(to) else {
      throw session.usageError(
        "Missing folder", hint: "Specify a folder, for example: trendy export \(format) --every 1d --to ~/exports")
    }
    var isFolder = false
    let path = URL(filePath: folder).standardizedFileURL.path
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder else {
      throw CommandError(
        "Folder \(path) not found", hint: "Create it first: mkdir -p \(ShellWords.quoted(path))", exit: .notFound)
    }
    values = [
      (Setting.exportEvery, try Setting.exportEvery.valueForFile(interval)),
      (Setting.exportTo, try Setting.exportTo.valueForFile(path)),
      (Setting.exportFormat, try Setting.exportFormat.valueForFile(format)),
      (Setting.exportKeep, try Setting.exportKeep.valueForFile(arguments.value("--keep") ?? "14")),
    ]
  }

  func carryOut(_ session: Session) throws -> Outcome {
    try ConfigurationFile.update(session.settings.file.path) { (file) throws(CommandError) in
      guard let values else { return file.set(Setting.exportEvery.key, to: nil) }
      for (setting, value) in values { file.set(setting.key, to: value) }
    }
    let environment = Environment.all
    let files = RuntimeFiles(
      storeDirectory: session.storeDirectory, environment: environment, status: session.settings.text(Setting.status))
    let isHeard = AgentConnection(files, asking: .reload)?.next() != nil
    guard let plan = try ExportPlan(Settings(environment: environment)), values != nil else { return .ended }
    return .ordered(plan, isHeard: isHeard)
  }

  static func show(_ outcome: Outcome, _ session: Session) -> ExitCode {
    let console = session.console
    switch outcome {
    case .ended:
      if console.isJSON { console.document("trendy.export_order/1", [("every_s", .null)]) }
      console.done("Scheduled export stopped. Existing files are kept.")
    case .ordered(let plan, let isHeard):
      if console.isJSON {
        console.document(
          "trendy.export_order/1",
          [
            ("every_s", .number(plan.schedule.interval)), ("to", .string(plan.folder)),
            ("format", .string(plan.format)),
            ("keep", .number(plan.schedule.keep)), ("agent", .bool(isHeard)),
          ])
      }
      console.done(
        "Exporting \(plan.format) to \(plan.folder) every \(plan.every), keeping \(Quantity(plan.schedule.keep, "file"))."
      )
      if !isHeard {
        console.talk(
          "The agent is not running, so nothing is exported yet. Start it: trendyd run, or trendyd service install")
      }
    }
    return .done
  }
}

extension ExportPlan {
  /// Interval between exports, as in `day`, `7 days` or `6 h`.
  var every: String {
    let days = schedule.interval / 86_400
    guard days >= 1, days == days.rounded() else { return DurationPhrase.words(schedule.interval) }
    return days == 1 ? "day" : "\(Int(days)) days"
  }
}
