import CommandSupport
import Foundation
import TrendyModels
import TrendyPersistence

struct HubBackupFile {
  let path: String

  init(_ path: String) throws(CommandError) {
    var isFolder: ObjCBool = false
    if path.isEmpty || (FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue) {
      throw CommandError("'\(path)' is not a file", hint: "Specify a file, not a folder.", exit: .usage)
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
  /// Time of the backup, in RFC 3339 format.
  var moment: String { RFC3339.string(from: Date(timeIntervalSince1970: Double(madeMillis) / 1000)) }

  var size: String { "\(rows) rows (\(bytes) bytes)" }

  fileprivate var rows: Int { records.values.reduce(0, +) }
}
