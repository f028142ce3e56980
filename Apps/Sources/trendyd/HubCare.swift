import AppContainer
import CommandSupport
import Foundation
import HubContainer
import TrendyHub
import TrendyModels
import TrendyPersistence

/// `trendyd hub backup` and `trendyd hub restore`.
struct HubCare {
  let hub: HubContainer
  let arguments: Arguments
  let console: Console

  func backUp(to path: String) throws -> ExitCode {
    let backup: StoreBackup.Summary
    do {
      backup = try hub.backUp(to: try file(path), isReplacing: arguments.has("--yes"))
    } catch StorageError.exists(let path) {
      throw CommandError.fileExists(at: path, isReplacing: arguments.has("--yes"))
    }
    console.isJSON
      ? console.document("trendyd.backup/1", json(backup, path))
      : console.done("Backed up \(words(backup)) to \(path).")
    return .done
  }

  func restore(from path: String) throws -> ExitCode {
    let path = try file(path)
    let backup = try StoreBackup.check(path)
    guard arguments.has("--yes") || !hub.exists else {
      throw CommandError(
        "There is a hub at \(hub.directory.path)",
        hint: "Nothing was restored. --yes puts the backup of \(moment(backup)) in its place, and keeps it aside.",
        exit: .cannotCreate)
    }
    let report: StoreBackup.RestoreReport
    do {
      report = try hub.restore(from: path, isForced: arguments.has("--force"))
    } catch is EmbeddedHubStorage.StaleBackup {
      throw CommandError(
        "The backup of \(moment(backup)) is older than what this hub remembers of deletions",
        hint:
          "Nothing was restored. With it, what was deleted long ago would come back; --force restores it all the same.",
        exit: .refused)
    }
    if console.isJSON {
      console.document(
        "trendyd.restore/1", json(report.summary, path) + [("kept", .array(report.kept.map { .string($0) }))])
    } else {
      console.done("Restored \(words(report.summary)) of \(moment(report.summary)).")
      for path in report.kept { console.text("What was here before is kept in \(path)") }
      console.done("Each device notices at its next sync, and brings back what this hub does not have any more.")
    }
    return .done
  }

  private func file(_ path: String) throws(CommandError) -> String {
    var isFolder: ObjCBool = false
    if path.isEmpty || (FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue) {
      throw CommandError("'\(path)' is no file", hint: "Give the name of a file.", exit: .usage)
    }
    return path
  }

  private func moment(_ backup: StoreBackup.Summary) -> String {
    RFC3339.string(from: Date(timeIntervalSince1970: Double(backup.madeMillis) / 1000))
  }

  private func words(_ backup: StoreBackup.Summary) -> String {
    "\(backup.records.values.reduce(0, +)) rows (\(backup.bytes) bytes)"
  }

  private func json(_ backup: StoreBackup.Summary, _ path: String) -> [(String, JSONText)] {
    [
      ("file", .string(path)), ("made_at", .string(moment(backup))), ("bytes", .number(backup.bytes)),
      ("rows", .number(backup.records.values.reduce(0, +))),
    ]
  }
}
