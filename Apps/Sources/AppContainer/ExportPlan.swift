public import CommandSupport
public import TrendyAgent
import TrendyInterchange

/// Scheduled export, as configured in the settings.
public struct ExportPlan: Hashable, Sendable {
  /// Interval between exports, and number of files to keep.
  public let schedule: ExportSchedule
  /// Path of the folder for exported files, without a trailing slash.
  public let folder: String
  /// Name of the export format, as in `trendy export`.
  public let format: String

  /// Reads the scheduled export from the settings.
  /// - Returns: `nil` if no exports are scheduled.
  /// - Throws: ``CommandError`` with exit 78 if no folder is set.
  public init?(_ settings: Settings) throws(CommandError) {
    guard let seconds = settings.text(Setting.exportEvery).flatMap({ DurationPhrase.seconds($0) }) else { return nil }
    guard let folder = settings.text(Setting.exportTo), let format = settings.text(Setting.exportFormat),
      let keep = settings.text(Setting.exportKeep).flatMap({ Int($0) })
    else {
      throw CommandError(
        "'export_every' is set but 'export_to' is not", hint: "Set the folder: trendy config set export_to FOLDER",
        exit: .configuration)
    }
    self.folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    self.format = format
    schedule = ExportSchedule(
      interval: max(ExportSchedule.shortest, seconds), keep: max(1, keep), suffix: Self.suffix(of: format))
  }

  private static func suffix(of format: String) -> String {
    switch format {
    case "report": ".html"
    case "mileage": "-mileage.csv"
    case "loop": "-loop.zip"
    case "owntracks-rec": ".rec"
    default: ".\(format)"
    }
  }

  /// Returns the arguments that make `trendy` export all data to a file.
  public func words(writing path: String) -> [String] {
    let words = ["export", format, path]
    if format == "mileage" { return words + ["--all"] }
    // Exports in track formats require an explicit selection.
    let isTrack = InterchangeFormat.named(format)?.writes == .fixes
    return words + (isTrack ? ["--all", "--yes"] : ["--yes"])
  }
}
