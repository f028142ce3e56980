public import CommandSupport
import TrendyFoundation
public import TrendyPersistence

/// Option `--sign KEYFILE` of commands that write or restore backups.
public enum BackupSigning: Sendable {
  /// Option for commands that write a backup.
  public static let writing = OptionSpec(
    "--sign", value: "keyfile", kind: .file, help: "sign the backup with the key in this file (at least 32 bytes)")
  /// Option for commands that restore a backup.
  public static let restoring = OptionSpec(
    "--sign", value: "keyfile", kind: .file, help: "restore only a backup signed with this key")

  /// Reads the key from the file given by `--sign`.
  /// - Returns: the key, or `nil` if the option is not given.
  /// - Throws: ``CommandError`` if the file cannot be read or does not contain a valid key.
  public static func key(_ arguments: Arguments) throws(CommandError) -> BackupKey? {
    guard let path = arguments.value("--sign") else { return nil }
    // Do not repeat the given path in the hint, because the suggested command could overwrite a key that is in use.
    let hint = "Specify a key file. To create one: head -c 32 /dev/urandom > FILE"
    guard let data = try? Data(contentsOf: URL(filePath: path)) else {
      throw CommandError("Cannot read key file '\(path)'", hint: hint, exit: .notFound)
    }
    guard let key = BackupKey([UInt8](data)) else {
      throw CommandError(
        "Invalid key file '\(path)': it has \(data.count) bytes instead of \(BackupKey.minBytes) to \(BackupKey.maxBytes)",
        hint: hint, exit: .badData)
    }
    return key
  }
}
