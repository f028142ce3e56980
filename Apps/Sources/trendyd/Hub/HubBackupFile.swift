import CommandSupport
import Foundation
import TrendyModels
import TrendyPersistence

/// A file into which a hub is backed up, or from which it is restored.
struct HubBackupFile {
  let path: String

  /// - Throws: ``CommandError`` with exit 64 for what cannot be a file.
  init(_ path: String) throws(CommandError) {
    var isFolder: ObjCBool = false
    if path.isEmpty || (FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue) {
      throw CommandError("'\(path)' is no file", hint: "Give the name of a file.", exit: .usage)
    }
    self.path = path
  }

  func members(_ backup: StoreBackup.Summary) -> [(String, JSONText)] {
    [
      ("file", .string(path)), ("made_at", .string(backup.moment)), ("bytes", .number(backup.bytes)),
      ("rows", .number(backup.rows)),
    ]
  }
}

extension StoreBackup.Summary {
  /// When it was made.
  var moment: String { RFC3339.string(from: Date(timeIntervalSince1970: Double(madeMillis) / 1000)) }

  var size: String { "\(rows) rows (\(bytes) bytes)" }

  fileprivate var rows: Int { records.values.reduce(0, +) }
}
