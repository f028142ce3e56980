/// Why an archive or a compressed stream could not be read or written.
///
/// `entry` is the path of the entry in its archive; `nil` where the archive as a whole, or a stream without a name, is meant.
public enum ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The content is of another kind. `expected` is the kind, with its article: "a ZIP archive".
  case notAnArchive(expected: String)
  /// The content ends before it is complete.
  case truncated(entry: String?, reason: String)
  /// The content breaks the rules of its format, or fails its checksum.
  case damaged(entry: String?, reason: String)
  /// The entry needs a password; nothing of it was read.
  case encrypted(entry: String)
  /// Valid, but of a kind that is not read or cannot be written here.
  case unsupported(entry: String?, reason: String)
  /// More than the limit that the caller set; what an archive made to exhaust memory or disk runs into.
  case exceedsLimit(entry: String?, reason: String)
  /// A path that is absolute, or that leads out of the folder into which the archive would be unpacked.
  case unsafePath(String)
  /// A call of the operating system failed with `code`, an `errno`.
  case system(path: String, operation: String, code: Int32)

  public var description: String {
    switch self {
    case .notAnArchive(let expected): "this is not \(expected)"
    case .truncated(let entry, let reason): "\(Self.subject(entry)) is cut off: \(reason)"
    case .damaged(let entry, let reason): "\(Self.subject(entry)) is damaged: \(reason)"
    case .encrypted(let entry): "\(entry) is encrypted: unpack it with its password and read the unpacked files"
    case .unsupported(let entry, let reason): "\(Self.subject(entry)) cannot be read: \(reason)"
    case .exceedsLimit(let entry, let reason): "\(Self.subject(entry)) was refused: \(reason)"
    case .unsafePath(let path): "the archive was refused: the path \"\(path)\" leads out of it"
    case .system(let path, let operation, let code): "\(path): \(operation) failed with error \(code)"
    }
  }

  private static func subject(_ entry: String?) -> String { entry ?? "the archive" }
}
