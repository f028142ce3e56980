public import CommandSupport
public import TrendyAgent
import TrendyInterchange

/// The exports that an agent makes by itself, as the settings say them.
public struct ExportPlan: Hashable, Sendable {
  public let schedule: ExportSchedule
  /// Without a slash at its end.
  public let folder: String
  /// The word of the format, as of `trendy export`.
  public let format: String

  /// - Returns: `nil` where nothing is to be exported.
  /// - Throws: ``CommandError`` with exit 78 where nobody says where to.
  public init?(_ settings: Settings) throws(CommandError) {
    guard let seconds = settings.text(Setting.exportEvery).flatMap({ DurationPhrase.seconds($0) }) else { return nil }
    guard let folder = settings.text(Setting.exportTo), let format = settings.text(Setting.exportFormat),
      let keep = settings.text(Setting.exportKeep).flatMap({ Int($0) })
    else {
      throw CommandError(
        "'export_every' is set, and 'export_to' is not", hint: "trendy config set export_to FOLDER",
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

  /// The arguments with which `trendy` exports everything to a file.
  public func words(writing path: String) -> [String] {
    let words = ["export", format, path]
    if format == "mileage" { return words + ["--all"] }
    // Of tracks it has to be said that all are meant.
    let isTrack = InterchangeFormat.named(format)?.writes == .fixes
    return words + (isTrack ? ["--all", "--yes"] : ["--yes"])
  }
}
