import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyPersistence

struct BackupCommand: Command {
  static let spec = CommandSpec(
    "backup", .one("file", .file, "file"),
    summary: "Back up the whole store to one file, even while it is in use.",
    group: .data, examples: ["backup trendy.backup", "backup trendy.backup --yes"],
    options: [OptionSpec("--yes", help: "overwrite an existing file"), BackupSigning.writing])

  private let file: BackupFile
  private let key: BackupKey?
  private let isReplacing: Bool

  init(_ session: Session) throws {
    file = try BackupFile(session.arguments.positionals[0], session)
    key = try BackupSigning.key(session.arguments)
    isReplacing = session.arguments.has("--yes")
  }

  func act(_ session: Session) throws -> StoreBackup.Summary {
    Interruption.wait()
    do {
      return try backUp(session)
    } catch StorageError.cancelled {
      throw CommandError.interrupted("Nothing was written.")
    } catch StorageError.missing where !DeviceRecord.exists(at: session.storeDirectory) {
      throw CommandError.noStore(at: session.storeDirectory.path)
    } catch StorageError.exists(let path) {
      throw CommandError.fileExists(at: path, isReplacing: isReplacing)
    }
  }

  private func backUp(_ session: Session) throws -> StoreBackup.Summary {
    let progress = StoreProgress(session.console)
    defer { progress.end() }
    return try StoreParts(storeDirectory: session.storeDirectory)
      .backUp(to: SymbolicLink.target(of: file.path), isReplacing: isReplacing, signedWith: key) { progress.goesOn($0) }
  }

  func show(_ answer: StoreBackup.Summary, _ session: Session) -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendy.backup/1", file.members(answer, session.local))
    } else {
      session.console.done("Backed up \(answer.contents) to \(file.path).")
      session.console.done(
        "The backup does not contain the pairing with a hub. To restore it: trendy restore \(ShellWords.quoted(file.path))"
      )
    }
    return .done
  }
}
