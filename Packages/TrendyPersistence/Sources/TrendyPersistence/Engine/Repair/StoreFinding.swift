/// Something in a store that is not as it should be: what, where, and what to do.
public struct StoreFinding: Hashable, Sendable, CustomStringConvertible {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Bytes are not as they were written, or a file that must be there is not.
    case damage
    /// An index says something else than the rows that it leads to.
    case index
    /// A row says something else than the place where it lies, or means nothing to this version.
    case row
    /// A row refers to one that is not there.
    case reference
    /// What waits for the hub and what is shown do not fit.
    case queue
  }

  public var kind: Kind
  /// The file, where it is one.
  public var path: String?
  /// Bytes from its beginning.
  public var offset: Int?
  /// What is wrong, without a full stop.
  public var what: String
  /// What to do about it, a sentence.
  public var advice: String

  public init(kind: Kind, path: String? = nil, offset: Int? = nil, what: String, advice: String) {
    self.kind = kind
    self.path = path
    self.offset = offset
    self.what = what
    self.advice = advice
  }

  public var description: String { "\(place)\(what). \(advice)" }

  /// `/store/log-1 at byte 64: `, or nothing.
  public var place: String {
    guard let path else { return "" }
    return offset.map { "\(path) at byte \($0): " } ?? "\(path): "
  }
}

extension StoreFinding {
  /// Damage as opening reports it; `nil` for any other error.
  init?(_ error: StorageError, what: String = "is not as it was written") {
    guard case .damaged(let path, let offset) = error else { return nil }
    self.init(kind: .damage, path: path, offset: offset, what: what, advice: Self.repairAdvice)
  }

  static let repairAdvice = "Run `trendy doctor --repair`, which keeps all that is whole."
}

/// What ``StorageEngine/verify(directory:fileSystem:options:)`` saw.
public struct StoreVerification: Hashable, Sendable {
  public var findings: [StoreFinding] = []
  /// Records that live, where the files are whole.
  public var records = 0
  /// Files that count, and what they hold together.
  public var files = 0
  public var bytes = 0
  /// Bytes at the end of the log of a save that never finished. Nobody was told that it was saved: no damage.
  public var cutBytes = 0
  /// Files that a repair, a restore or a cut tail left beside the store, with what they took the place of.
  public var setAside: [String] = []

  public init() {}
}
