import AppContainer
import CommandSupport
import HubContainer
import TrendyFoundation
import TrendyHub
import TrendyPersistence

struct HubRestoreCommand: DaemonCommand {
  static let spec = CommandSpec(
    "hub restore", .one("file", .file, "file"),
    summary: "Replace the data of the hub with a backup; the previous data is kept.", group: .hub,
    examples: ["hub restore hub.backup --yes", "hub restore hub.backup --sign backup.key"],
    options: [
      OptionSpec("--yes", help: "replace an existing hub; its files are kept"),
      OptionSpec("--force", help: "accept an old backup, which may restore entries deleted long ago"),
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
      throw CommandError.interrupted("Nothing was restored; the hub is unchanged.")
    }
  }

  private func restore(_ session: DaemonSession, _ progress: StoreProgress) throws -> StoreBackup.RestoreReport {
    let hub = session.hub
    let backup = try StoreBackup.check(file.path, signedWith: key) { progress.goesOn($0) }
    guard try isReplacing || !hub.exists() else {
      throw CommandError(
        "A hub already exists at \(hub.directory.path)",
        hint: "Nothing was restored. To replace it with the backup of \(backup.moment), add --yes; its files are kept.",
        exit: .cannotCreate)
    }
    do {
      return try hub.restore(from: file.path, signedWith: key, isForced: isForced) { progress.goesOn($0) }
    } catch is EmbeddedHubStorage.StaleBackup {
      throw CommandError(
        "The backup of \(backup.moment) is older than the deletions that this hub remembers",
        hint:
          "Nothing was restored. Entries deleted long ago would reappear. To accept that, add --force.",
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
    for path in answer.kept { console.text("The previous data is kept in \(path)") }
    console.done("At the next sync, each device uploads the entries that this hub no longer has.")
    return .done
  }
}
