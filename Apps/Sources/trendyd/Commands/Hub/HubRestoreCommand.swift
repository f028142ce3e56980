import AppContainer
import CommandSupport
import HubContainer
import TrendyFoundation
import TrendyHub
import TrendyPersistence

/// `trendyd hub restore`
struct HubRestoreCommand: DaemonCommand {
  static let spec = CommandSpec(
    "hub restore", .one("file", .file, "the file"),
    summary: "Replace the hub's data by a backup; the former data is kept beside it.", group: .hub,
    examples: ["hub restore hub.backup --yes", "hub restore hub.backup --sign backup.key"],
    options: [
      OptionSpec("--yes", help: "even if there is a hub, which is kept aside"),
      OptionSpec("--force", help: "also a backup that would bring back what was deleted long ago"),
      BackupSigning.restoring, .data,
    ])

  private let file: HubBackupFile
  private let key: BackupKey?
  private let isReplacing: Bool
  private let isForced: Bool

  init(_ session: DaemonSession) throws {
    file = try HubBackupFile(session.arguments.positionals[0])
    key = try BackupSigning.key(session.arguments)
    isReplacing = session.arguments.has("--yes")
    isForced = session.arguments.has("--force")
  }

  func act(_ session: DaemonSession) throws -> StoreBackup.RestoreReport {
    let progress = StoreProgress(session.console)
    defer { progress.end() }
    Interruption.wait()
    do {
      return try restore(session, progress)
    } catch StorageError.cancelled {
      throw CommandError.interrupted("Nothing was restored: all is as it was.")
    }
  }

  private func restore(_ session: DaemonSession, _ progress: StoreProgress) throws -> StoreBackup.RestoreReport {
    let hub = session.hub
    let backup = try StoreBackup.check(file.path, signedWith: key) { progress.goesOn($0) }
    guard try isReplacing || !hub.exists() else {
      throw CommandError(
        "There is a hub at \(hub.directory.path)",
        hint: "Nothing was restored. --yes puts the backup of \(backup.moment) in its place, and keeps it aside.",
        exit: .cannotCreate)
    }
    do {
      return try hub.restore(from: file.path, signedWith: key, isForced: isForced) { progress.goesOn($0) }
    } catch is EmbeddedHubStorage.StaleBackup {
      throw CommandError(
        "The backup of \(backup.moment) is older than what this hub remembers of deletions",
        hint:
          "Nothing was restored. With it, what was deleted long ago would come back; --force restores it all the same.",
        exit: .refused)
    }
  }

  func show(_ answer: StoreBackup.RestoreReport, _ session: DaemonSession) -> ExitCode {
    let console = session.console
    if console.isJSON {
      console.document(
        "trendyd.restore/1", file.members(answer.summary) + [("kept", .array(answer.kept.map { .string($0) }))])
    }
    console.done("Restored \(answer.summary.size) of \(answer.summary.moment).")
    for path in answer.kept { console.text("What was here before is kept in \(path)") }
    console.done("Each device notices at its next sync, and brings back what this hub does not have any more.")
    return .done
  }
}
