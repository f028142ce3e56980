public import TrendyFoundation
public import TrendyInterchange
public import TrendyModels

/// Options of an import.
public struct ImportRequest: Sendable {
  /// Path of the file as the user entered it.
  public var source: String
  /// Whether the import only counts, without saving anything.
  public var isDryRun = false
  /// Event types in the record, by lower-case type name in the file.
  public var typeMap: [String: String] = [:]
  /// Lower-case names of the types to import, as in the file or in the record. Empty to import all types.
  public var onlyTypes: Set<String> = []
  /// Options for the format reader, such as the time zone.
  public var options: ImportOptions
  /// Identifies the file and the options, for example a hash of both.
  ///
  /// An import resumes an interrupted import with the same fingerprint, and both are undone together.
  public var fingerprint: String
  /// Whether to import the file even if it was imported before with another time zone.
  public var acceptsOtherZone = false
  /// Called after each saved batch with the number of records so far. An error that it throws ends the import.
  public var onProgress: (@Sendable (Int) throws -> Void)?
  /// Number of entities per save, or `nil` for the store's preferred number.
  var batchSize: Int?

  /// Creates a request that imports all types. The arguments correspond to the properties.
  public init(source: String, options: ImportOptions, fingerprint: String) {
    self.source = source
    self.options = options
    self.fingerprint = fingerprint
  }
}

/// Result of an import.
public struct ImportReport: Hashable, Sendable {
  static let maxProblems = 1000
  /// Id of the import, or `nil` for a dry run or if nothing was new.
  public internal(set) var id: String?
  /// Whether the import resumed an interrupted import.
  public internal(set) var isContinued = false
  /// Number of created entities by kind.
  public internal(set) var new: [MutationEntityType: Int] = [:]
  /// Number of duplicates, including entities that have been deleted since an earlier import.
  public internal(set) var known = 0
  /// Number of fixes and other readings that the track log did not contain.
  public internal(set) var newReadings = 0
  /// Number of readings that the track log already contained.
  public internal(set) var knownReadings = 0
  /// Number of trips and visits detected in the readings.
  public internal(set) var found = 0
  /// Number of skipped items by description.
  public internal(set) var skipped: [String: Int] = [:]
  /// Number of items that could not be imported.
  public internal(set) var badCount = 0
  /// Problems with the first 1,000 of these items.
  public internal(set) var problems: [ImportProblem] = []
  /// Number of events by type name, including duplicates.
  public internal(set) var types: [String: Int] = [:]
  /// Number of new events by type name.
  public internal(set) var newEvents: [String: Int] = [:]
  /// Names of the event types that the import created.
  public internal(set) var newTypes: [String] = []
  /// Time zone of an earlier import of the same file. If `otherZone` is not `nil`, this import would duplicate every
  /// event.
  public internal(set) var otherZone: String?
  /// First events of the file as they are recorded, including duplicates.
  public internal(set) var examples: [Example] = []
  /// Start of the earliest event or reading.
  public internal(set) var first: Date?
  /// Start of the latest event or reading.
  public internal(set) var last: Date?

  /// Event with the name of its type. In a dry run, the type may not exist.
  public struct Example: Hashable, Sendable {
    public var typeName: String
    public var event: Event
  }

  /// Whether the file contained anything that the record now contains.
  public var isAnything: Bool { newCount + known + newReadings + knownReadings > 0 }
  /// Number of created entities of all kinds.
  public var newCount: Int { new.values.reduce(0, +) }
}

/// Result of undoing an import.
public struct ImportUndo: Hashable, Sendable {
  /// Number of deleted entities.
  public internal(set) var removed = 0
  /// Entities that remain because they were edited or, for types, because other events refer to them.
  public internal(set) var left: [UndoStep.Left] = []
}
