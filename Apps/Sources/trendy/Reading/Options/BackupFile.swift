import CommandSupport
import TrendyFoundation
import TrendyModels
import TrendyPersistence

/// Backup file given on the command line.
struct BackupFile {
  let path: String

  init(_ path: String, _ session: Session) throws(CommandError) {
    var isFolder = false
    if path.isEmpty || (FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder) {
      throw session.usageError("'\(path)' is not a file", hint: "Specify a file, not a folder.")
    }
    self.path = path
  }
}

extension BackupFile {
  /// Returns the members of the JSON object that describes the backup.
  func members(_ summary: StoreBackup.Summary, _ local: LocalTime) -> [(String, JSONText)] {
    [
      ("file", .string(path)), ("made_at", .string(summary.made(local))), ("bytes", .number(summary.bytes)),
      ("rows", .object(summary.records.sorted { $0.key < $1.key }.map { ($0.key, .number($0.value)) })),
    ]
  }
}

extension StoreBackup.Summary {
  /// Returns the time at which the backup was made, in RFC 3339 format.
  func made(_ local: LocalTime) -> String {
    local.rfc3339(Date(timeIntervalSince1970: Double(madeMillis) / 1000))
  }

  /// Number of rows and size: `12 rows (4096 bytes)`.
  var contents: String { "\(Quantity(records.values.reduce(0, +), "row")) (\(Quantity(bytes, "byte")))" }
}
