import CommandSupport
import TrendyFoundation
import TrendyModels
import TrendyPersistence

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
  func members(_ summary: StoreBackup.Summary, _ local: LocalTime) -> [(String, JSONText)] {
    [
      ("file", .string(path)), ("made_at", .string(summary.made(local))), ("bytes", .number(summary.bytes)),
      ("rows", .object(summary.records.sorted { $0.key < $1.key }.map { ($0.key, .number($0.value)) })),
    ]
  }
}

extension StoreBackup.Summary {
  /// Returns the time of the backup in RFC 3339 format.
  func made(_ local: LocalTime) -> String {
    local.rfc3339(Date(timeIntervalSince1970: Double(madeMillis) / 1000))
  }

  /// Rows and size, such as `12 rows (4096 bytes)`.
  var contents: String { "\(Quantity(records.values.reduce(0, +), "row")) (\(Quantity(bytes, "byte")))" }
}
