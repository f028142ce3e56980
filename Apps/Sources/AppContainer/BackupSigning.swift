public import CommandSupport
import TrendyFoundation
public import TrendyPersistence

/// Option `--sign KEYFILE` of the commands that write and restore backups.
public enum BackupSigning: Sendable {
  /// Option of commands that write a backup.
  public static let writing = OptionSpec(
    "--sign", value: "keyfile", kind: .file, help: "sign the backup with the key in this file, at least 32 bytes")
  /// Option of commands that restore a backup.
  public static let restoring = OptionSpec(
    "--sign", value: "keyfile", kind: .file, help: "restore only a backup signed with this key")

  /// Reads the key from the file that `--sign` names.
  /// - Returns: the key; `nil` without the option.
  /// - Throws: ``CommandError`` for an unreadable or invalid key file.
  public static func key(_ arguments: Arguments) throws(CommandError) -> BackupKey? {
    guard let path = arguments.value("--sign") else { return nil }
    // The command contains a placeholder and not the given path, because a key in use must not be overwritten.
    let hint = "Name a file with a key. To create one: head -c 32 /dev/urandom > FILE"
    guard let data = try? Data(contentsOf: URL(filePath: path)) else {
      throw CommandError("Cannot read key file '\(path)'", hint: hint, exit: .notFound)
    }
    guard let key = BackupKey([UInt8](data)) else {
      throw CommandError(
        "Invalid key file '\(path)': it has \(data.count) bytes, expected \(BackupKey.leastBytes) to \(BackupKey.mostBytes)",
        hint: hint, exit: .badData)
    }
    return key
  }
}
