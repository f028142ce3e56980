import AppContainer
import CommandSupport
import HubContainer
import TrendyPersistence

struct HubBackupCommand: DaemonCommand {
  static let spec = CommandSpec(
    "hub backup", .one("file", .file, "file"),
    summary: "Back up the hub to one file, even while it is running.", group: .hub,
    examples: ["hub backup hub.backup", "hub backup hub.backup --yes --sign backup.key"],
    options: [OptionSpec("--yes", help: "overwrite an existing file"), BackupSigning.writing, .data])

  private let file: HubBackupFile
  private let key: BackupKey?
  private let isReplacing: Bool

  init(_ session: DaemonSession) throws {
    file = try HubBackupFile(session.arguments.positionals[0])
    key = try BackupSigning.key(session.arguments)
    isReplacing = session.arguments.has("--yes")
  }

  func act(_ session: DaemonSession) throws -> StoreBackup.Summary {
    let progress = StoreProgress(session.console)
    defer { progress.end() }
    Interruption.wait()
    do {
      return try session.hub.backUp(to: SymbolicLink.target(of: file.path), isReplacing: isReplacing, signedWith: key) {
        progress.goesOn($0)
      }
    } catch StorageError.cancelled {
      throw CommandError.interrupted("Nothing was written.")
    } catch StorageError.exists(let path) {
      throw CommandError.fileExists(at: path, isReplacing: isReplacing)
    }
  }

  func show(_ answer: StoreBackup.Summary, _ session: DaemonSession) -> ExitCode {
    if session.console.isJSON { session.console.document("trendyd.backup/1", file.members(answer)) }
    session.console.done("Backed up \(answer.size) to \(file.path).")
    return .done
  }
}
