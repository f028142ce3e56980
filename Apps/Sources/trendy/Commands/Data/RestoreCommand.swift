import AgentLink
import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync

struct RestoreCommand: Command {
  static let spec = CommandSpec(
    "restore", .oneOrMore("file|id", .file, "file"),
    summary: "Replace the store with a backup, or restore deleted entries by id.", group: .data,
    examples: ["restore trendy.backup --yes", "restore 0199f3c2"],
    options: [
      OptionSpec("--yes", help: "replace a store that is not empty; its files are kept"), BackupSigning.restoring,
    ])

  enum Answer {
    case backup(BackupFile, StoreBackup.RestoreReport)
    case deleted([DeletedEntity], types: [EventType])
  }

  private enum Request {
    case backup(BackupFile)
    case deleted(ids: [String])
  }

  private let request: Request
  private let key: BackupKey?
  private let isReplacing: Bool

  init(_ session: Session) throws {
    let words = session.arguments.positionals
    key = try BackupSigning.key(session.arguments)
    isReplacing = session.arguments.has("--yes")
    let namesFile = words.contains { word in
      word.isEmpty || word.contains("/") || FileManager.default.fileExists(atPath: word)
    }
    guard namesFile || !DeviceRecord.exists(at: session.storeDirectory) else {
      request = .deleted(ids: words)
      return
    }
    guard words.count == 1 else { throw session.usageError("Unexpected argument '\(words[1])'") }
    let file = try BackupFile(words[0], session)
    guard FileManager.default.fileExists(atPath: file.path) else {
      throw CommandError(
        "File \(file.path) not found",
        hint: "Check the path of the backup. To restore deleted entries: trendy list --deleted, then trendy restore ID",
        exit: .notFound)
    }
    request = .backup(file)
  }

  func act(_ session: Session) throws -> Answer {
    switch request {
    case .backup(let file): .backup(file, try restore(file, session))
    case .deleted(let ids): try restore(ids, session)
    }
  }

  private func restore(_ file: BackupFile, _ session: Session) throws -> StoreBackup.RestoreReport {
    let parts = StoreParts(storeDirectory: session.storeDirectory)
    let progress = StoreProgress(session.console)
    defer { progress.end() }
    Interruption.wait()
    do {
      return try restore(file, to: parts, progress, session)
    } catch StorageError.cancelled {
      throw CommandError.interrupted("Nothing was restored; the store is unchanged.")
    }
  }

  private func restore(
    _ file: BackupFile, to parts: StoreParts, _ progress: StoreProgress, _ session: Session
  ) throws -> StoreBackup.RestoreReport {
    let made = try StoreBackup.check(file.path, signedWith: key, onProgress: { progress.goesOn($0) }).made(
      session.local)
    guard try isReplacing || !parts.isUsed() else {
      throw CommandError(
        "The store at \(session.storeDirectory.path) is not empty",
        hint: "Nothing was restored. To replace it with the backup of \(made), add --yes; its files are kept.",
        exit: .cannotCreate)
    }
    let report = try parts.restore(from: file.path, signedWith: key) { progress.goesOn($0) }
    AgentSignal(storeDirectory: session.storeDirectory).send()
    return report
  }

  private func restore(_ ids: [String], _ session: Session) throws -> Answer {
    let container = try session.openStore()
    let kinds = MutationEntityType.allCases.filter { $0 != .conflict }
    let deleted = try container.record.deleted(kinds)
    let entities = try ids.map { try entity($0, among: deleted) }
    let what = entities.count == 1 ? ShortID.of(entities[0].id) : "\(entities.count) entries"
    try container.record.restore("restore \(what)", entities)
    return .deleted(entities, types: try container.makeStore().fetchAllEventTypes())
  }

  private func entity(_ id: String, among deleted: [DeletedEntity]) throws(CommandError) -> DeletedEntity {
    let matches = deleted.filter { $0.id == id || $0.id.lowercased().hasPrefix(id.lowercased()) }
    guard matches.count == 1 else {
      throw CommandError(
        matches.isEmpty
          ? "'\(id)' is neither a file nor the id of a deleted entry"
          : "\(matches.count) deleted entries have ids that begin with '\(id)'",
        hint: "List deleted entries: trendy list --deleted", exit: .notFound)
    }
    return matches[0]
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    switch answer {
    case .backup(let file, let report): show(report, of: file, session)
    case .deleted(let entities, let types): show(entities, types, session)
    }
    return .done
  }

  private func show(_ report: StoreBackup.RestoreReport, of file: BackupFile, _ session: Session) {
    let (console, summary) = (session.console, report.summary)
    if console.isJSON {
      let kept = JSONText.array(report.kept.map { .string($0) })
      console.document("trendy.restore/1", file.members(summary, session.local) + [("kept", kept)])
      return
    }
    console.done("Restored \(summary.contents) of \(summary.made(session.local)).")
    for path in report.kept { console.text("The previous store is kept in \(path)") }
    console.done(
      "If this store syncs with a hub, the next sync registers it as a new device and downloads newer changes.")
  }

  private func show(_ entities: [DeletedEntity], _ types: [EventType], _ session: Session) {
    if session.console.isJSON {
      session.console.document("trendy.restored/1", [("restored", .array(entities.map { .string($0.id) }))])
    }
    let text = EventText(session: session, types: types)
    for entity in entities {
      let name = entity.fields["name"]?.stringValue ?? entity.fields["label"]?.stringValue ?? entity.id
      let kind = entity.kind.rawValue.replacing("_", with: " ")
      let line = entity.event.map { text.line($0) } ?? StyledText("\(kind) \(name)")
      session.console.done(line.led(by: "Restored:"))
    }
  }
}
