/// Problem found in a store, with its location and a suggested action.
public struct StoreIssue: Hashable, Sendable, CustomStringConvertible {
  /// Category of a problem.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Bytes are damaged or a required file is missing.
    case damage
    /// An index does not match its rows.
    case index
    /// The content of a row contradicts its key, or cannot be read by this version.
    case row
    /// A row refers to a missing row.
    case reference
    /// The mutation queue and the visible entities do not match.
    case queue
  }

  /// Category of the problem.
  public var kind: Kind
  /// Path of the file, if the problem is in one file.
  public var path: String?
  /// Offset in the file in bytes, if known.
  public var offset: Int?
  /// Description of the problem, without a final full stop.
  public var what: String
  /// Suggested action, as a sentence.
  public var advice: String

  /// Creates an issue.
  public init(kind: Kind, path: String? = nil, offset: Int? = nil, what: String, advice: String) {
    self.kind = kind
    self.path = path
    self.offset = offset
    self.what = what
    self.advice = advice
  }

  /// Location, problem and suggested action in one line.
  public var description: String { "\(place)\(what). \(advice)" }

  /// Location as a prefix such as `/store/log-1 at byte 64: `. Empty if ``path`` is `nil`.
  public var place: String {
    guard let path else { return "" }
    return offset.map { "\(path) at byte \($0): " } ?? "\(path): "
  }
}

extension StoreIssue {
  /// Creates an issue from a damage error, or returns `nil` for any other error.
  init?(_ error: StorageError, what: String = "damaged") {
    guard case .damaged(let path, let offset) = error else { return nil }
    self.init(kind: .damage, path: path, offset: offset, what: what, advice: Self.repairAdvice)
  }

  static let repairAdvice = "Recover all intact rows: trendy doctor --repair"
}

/// Result of ``StorageEngine/verify(directory:fileSystem:options:)``.
public struct StoreVerification: Hashable, Sendable {
  /// Problems found, or an empty array for an intact store.
  public var findings: [StoreIssue] = []
  /// Number of live rows. Counted only if all files are intact.
  public var records = 0
  /// Number of verified segments and chunks.
  public var files = 0
  /// Total length of the segments and the log in bytes.
  public var bytes = 0
  /// Length in bytes of an unfinished save at the end of the log. The save was never reported as complete, so it does
  /// not count as damage.
  public var cutBytes = 0
  /// Files left in the directory by a repair, a restore or a torn tail.
  public var setAside: [String] = []

  /// Creates an empty result.
  public init() {}
}
