/// Error while reading or writing an archive or a compressed stream.
///
/// `entry` is the path of the entry in its archive, or `nil` if the error concerns the whole archive or an unnamed
/// stream.
public enum ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The content does not have the expected format. `expected` includes an article, for example "a ZIP archive".
  case notAnArchive(expected: String)
  /// The content ends before it is complete.
  case truncated(entry: String?, reason: String)
  /// The content is invalid, or its checksum does not match.
  case damaged(entry: String?, reason: String)
  /// The entry is encrypted. None of its content was read.
  case encrypted(entry: String)
  /// The content is valid but not supported by this package.
  case unsupported(entry: String?, reason: String)
  /// A limit set by the caller was exceeded, for example by an archive designed to exhaust memory or disk space.
  case exceedsLimit(entry: String?, reason: String)
  /// The path is absolute or leads out of the target folder.
  case unsafePath(String)
  /// A system call failed with error number `code` (`errno`).
  case system(path: String, operation: String, code: Int32)

  /// Error message with the entry, the reason and, where possible, the remedy.
  public var description: String {
    switch self {
    case .notAnArchive(let expected): "this is not \(expected)"
    case .truncated(let entry, let reason): "\(Self.subject(entry)) is truncated: \(reason)"
    case .damaged(let entry, let reason): "\(Self.subject(entry)) is damaged: \(reason)"
    case .encrypted(let entry): "\(entry) is encrypted: unpack it with its password and use the unpacked files"
    case .unsupported(let entry, let reason): "\(Self.subject(entry)) cannot be read: \(reason)"
    case .exceedsLimit(let entry, let reason): "\(Self.subject(entry)) was rejected: \(reason)"
    case .unsafePath(let path): "the archive was rejected: the path \"\(path)\" points outside it"
    case .system(let path, let operation, let code): "\(path): \(operation) failed with error \(code)"
    }
  }

  private static func subject(_ entry: String?) -> String { entry ?? "the archive" }
}
