public import CommandSupport
import TrendyFoundation
public import TrendyPersistence

/// The option `--sign KEYFILE` of the commands that write and restore backups.
public enum BackupSigning: Sendable {
  public static let writing = OptionSpec(
    "--sign", value: "keyfile", kind: .file, help: "sign it with the key in this file, 32 bytes or more")
  public static let restoring = OptionSpec(
    "--sign", value: "keyfile", kind: .file, help: "restore only a backup that was signed with this key")

  /// - Returns: the key of the option; `nil` without the option.
  /// - Throws: ``CommandError`` for a file that cannot be read or holds no key.
  public static func key(_ arguments: Arguments) throws(CommandError) -> BackupKey? {
    guard let path = arguments.value("--sign") else { return nil }
    // Names no file: a key that signed backups must not be overwritten.
    let hint = "Name the file with the key. A new key: head -c 32 /dev/urandom > FILE"
    guard let data = try? Data(contentsOf: URL(filePath: path)) else {
      throw CommandError("Key file '\(path)' cannot be read", hint: hint, exit: .notFound)
    }
    guard let key = BackupKey([UInt8](data)) else {
      throw CommandError(
        "Invalid key file '\(path)': it has \(data.count) bytes, expected \(BackupKey.leastBytes) to \(BackupKey.mostBytes)",
        hint: hint, exit: .badData)
    }
    return key
  }
}
