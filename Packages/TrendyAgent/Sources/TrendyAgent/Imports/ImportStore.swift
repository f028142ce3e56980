public import TrendyFoundation
public import TrendyInterchange
public import TrendyModels
public import TrendyPersistence
public import TrendyTrips

/// Destination of an import: a device's store, or a user's record on a hub.
///
/// An instance belongs to one import. Only one thread may use it at a time.
public protocol ImportStore: AnyObject {
  var now: Date { get }
  /// Id of the import, or `nil` before its first save.
  var importID: String? { get }
  /// Whether this import resumes an interrupted import.
  var isContinued: Bool { get }

  /// Returns the readings of earlier imports that have not been undone, oldest first.
  func earlierReadings() throws -> [ImportReading]
  /// Stores the reading of the file. Called before the first save.
  func note(_ reading: ImportReading)

  /// Returns a new id that sorts after all previous ids.
  func makeID() -> String
  func eventTypes() throws -> [EventType]
  func propertyDefinitions() throws -> [PropertyDefinition]
  /// Returns an event, or `nil` if it does not exist or was deleted.
  func event(id: String) throws -> Event?
  /// Returns the events that start in a range, of one type or, if `type` is `nil`, of all types.
  func events(in range: Range<Date>, ofType type: String?) throws -> [Event]
  /// Returns whether an entity was deleted on any device.
  func isDeleted(_ kind: MutationEntityType, id: String) throws -> Bool
  /// Returns whether an entity exists, was deleted on any device, or is pending.
  func knows(_ kind: MutationEntityType, id: String) throws -> Bool
  /// Returns whether an entity was deleted by undoing an import and may be imported again.
  func isTakenBack(_ kind: MutationEntityType, id: String) throws -> Bool
  /// Returns a built-in type. Creates it if it does not exist.
  func type(_ kind: BuiltInType) throws -> EventType

  /// Preferred number of entities per batch, by default 8000.
  var batchSize: Int { get }
  /// Saves a batch atomically and durably. Returns, for each entity, whether it is new.
  func save(_ batch: [AnyEntity]) throws -> [Bool]
  /// Whether a batch may be saved on another thread while the file is read. If so, the reading thread uses only ``now``
  /// and ``makeID()``. By default `false`.
  var savesBesideReading: Bool { get }
  /// Adds the import to the history although it has stored only readings and created no entities.
  func noteReadings() throws
  /// Marks the import as complete.
  func finish() throws

  /// Returns a store for detected events, which also provides the places and settings for detection.
  func makeJournal() throws -> any DetectedEventStore
  func openTrackLog() throws -> TrackLog
  /// Returns the track log if it exists. Unlike ``openTrackLog()``, does not create it.
  func presentTrackLog() throws -> TrackLog?
  /// Creates an intake whose detected events belong to this import.
  func makeTrackIntake() throws -> TrackIntake
}

extension ImportStore {
  public var batchSize: Int { 8000 }
  public var savesBesideReading: Bool { false }
  public func presentTrackLog() throws -> TrackLog? { try openTrackLog() }
  public func noteReadings() throws {}

  /// Whether an import must not create an entity, because it exists, is pending, or was deleted by the user.
  func isKnown(_ kind: MutationEntityType, id: String) throws -> Bool {
    try knows(kind, id: id) && !isTakenBack(kind, id: id)
  }

  /// Latest timestamp of a fix that an import accepts. Later fixes are rejected, because a device's clock may be years
  /// ahead.
  var latestFix: Date { now.addingTimeInterval(86_400) }

  /// Imports the records of a file in atomic batches.
  ///
  /// Ids are natural keys of the source, so importing the same file again on any device adds nothing.
  /// - Throws: The error from the input, or `InterchangeError`. Batches saved before the error remain.
  public func importRecords(
    _ input: ByteInput, as format: InterchangeFormat, _ request: ImportRequest
  ) throws -> ImportReport {
    try RecordImporter(store: self, format: format, request: request).run {
      try format.read(input, request.options, $0)
    }
  }

  /// Imports the records from the files in a folder or an archive.
  public func importRecords(
    _ files: ExportFiles, as format: InterchangeFormat, _ request: ImportRequest
  ) throws -> ImportReport {
    try RecordImporter(store: self, format: format, request: request).run {
      try format.read(files, request.options, $0)
    }
  }
}
