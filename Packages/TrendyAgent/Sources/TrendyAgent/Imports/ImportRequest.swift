public import TrendyFoundation
public import TrendyInterchange
public import TrendyModels

/// What is to be taken of a file, and as what.
public struct ImportRequest: Sendable {
  /// The file as the person named it.
  public var source: String
  public var isDryRun = false
  /// Types of the record by the names of the file, in lower case.
  public var typeMap: [String: String] = [:]
  /// In lower case, by the names of the file or of the record; empty for all.
  public var onlyTypes: Set<String> = []
  public var options: ImportOptions
  /// The same for the same file read by the same options, such as a hash of both, and another for any other: an import that was
  /// interrupted is gone on with by the next one of its fingerprint, and taken back with it as one.
  public var fingerprint: String
  /// Whether a file is imported although it was imported with another time zone.
  public var acceptsOtherZone = false
  /// Called after each batch, which is saved by then, with the records so far; what it throws ends the import there.
  public var onProgress: (@Sendable (Int) throws -> Void)?
  /// Entities that are saved at once; `nil` for as many as the store takes best.
  var batchSize: Int?

  public init(source: String, options: ImportOptions, fingerprint: String) {
    self.source = source
    self.options = options
    self.fingerprint = fingerprint
  }
}

/// What an import brought.
public struct ImportReport: Hashable, Sendable {
  static let mostProblems = 1000
  /// `nil` for a dry run, and where nothing was new.
  public internal(set) var id: String?
  /// Whether an earlier command was interrupted, and this one went on.
  public internal(set) var isContinued = false
  public internal(set) var new: [MutationEntityType: Int] = [:]
  /// Recorded before, here or on another device; also those that were deleted since.
  public internal(set) var known = 0
  public internal(set) var newReadings = 0
  public internal(set) var knownReadings = 0
  /// Trips and visits found in the readings.
  public internal(set) var found = 0
  /// Left out, by what it is.
  public internal(set) var skipped: [String: Int] = [:]
  public internal(set) var badCount = 0
  /// The first thousand of them.
  public internal(set) var problems: [ImportProblem] = []
  /// Events by the name of their type, new and known.
  public internal(set) var types: [String: Int] = [:]
  /// Those of them that are new.
  public internal(set) var newEvents: [String: Int] = [:]
  public internal(set) var newTypes: [String] = []
  /// The zone with which the same file was imported before, where this import would record each event a second time.
  public internal(set) var otherZone: String?
  /// The first events of the file, new and known, as they are or would be recorded.
  public internal(set) var examples: [Example] = []
  public internal(set) var first: Date?
  public internal(set) var last: Date?

  /// An event of the file, with the name of a type that may not be there yet.
  public struct Example: Hashable, Sendable {
    public var typeName: String
    public var event: Event
  }

  /// Whether the file held anything that is recorded by now.
  public var isAnything: Bool { newCount + known + newReadings + knownReadings > 0 }
  public var newCount: Int { new.values.reduce(0, +) }
}

/// What taking an import back did.
public struct ImportUndo: Hashable, Sendable {
  public internal(set) var removed = 0
  /// Those that were edited since, or have events of their own; they stay.
  public internal(set) var left: [UndoStep.Left] = []
}
