public import TrendyFoundation
public import TrendyInterchange
public import TrendyModels
public import TrendyPersistence
public import TrendyTrips

/// Destination of an import: the store of a device, or the record of a user on a hub.
///
/// An instance belongs to one import and is used by one thread at a time.
public protocol ImportStore: AnyObject {
  var now: Date { get }
  /// Id of the import; `nil` until it has saved something.
  var importID: String? { get }
  /// Whether this import continues an interrupted one.
  var isContinued: Bool { get }

  /// Returns how the files of earlier imports were read, oldest first, without undone imports.
  func earlierReadings() throws -> [ImportReading]
  /// Stores how the file is read. Called before the first save.
  func note(_ reading: ImportReading)

  /// Returns a new id that sorts after all earlier ones.
  func makeID() -> String
  func eventTypes() throws -> [EventType]
  func propertyDefinitions() throws -> [PropertyDefinition]
  /// Returns the event; `nil` if it does not exist or was deleted.
  func event(id: String) throws -> Event?
  /// Returns events that begin in a range; of all types if `type` is `nil`.
  func events(in range: Range<Date>, ofType type: String?) throws -> [Event]
  /// Whether the entity was deleted, on any device.
  func isDeleted(_ kind: MutationEntityType, id: String) throws -> Bool
  /// Whether the entity exists, was deleted on any device, or waits to be synced.
  func knows(_ kind: MutationEntityType, id: String) throws -> Bool
  /// Whether the entity was removed by undoing an import, and may be imported again.
  func isTakenBack(_ kind: MutationEntityType, id: String) throws -> Bool
  /// Returns the built-in type, creating it if necessary.
  func type(_ kind: BuiltInType) throws -> EventType

  /// Preferred number of entities per batch. The default is 8000.
  var batchSize: Int { get }
  /// Saves a batch atomically and durably.
  /// - Returns: for each entity, whether it is new.
  func save(_ batch: [AnyEntity]) throws -> [Bool]
  /// Whether a batch may be saved on another thread while reading continues. Meanwhile, only ``now`` and ``makeID()`` are
  /// used. `false` by default.
  var savesBesideReading: Bool { get }
  /// Lists an import that created no entities but added fixes.
  func noteReadings() throws
  /// Ends the import.
  func finish() throws

  /// Returns a journal with the places and settings for the detection of trips and visits, which records the results.
  func makeJournal() throws -> any DetectedEventStore
  func openTrackLog() throws -> TrackLog
  /// Returns the track log if the store has one. A dry run creates none.
  func presentTrackLog() throws -> TrackLog?
  /// Returns an intake whose results belong to this import.
  func makeTrackIntake() throws -> TrackIntake
}

extension ImportStore {
  public var batchSize: Int { 8000 }
  public var savesBesideReading: Bool { false }
  public func presentTrackLog() throws -> TrackLog? { try openTrackLog() }
  public func noteReadings() throws {}

  /// Whether an import must leave an entity alone: it exists, was deleted by a user, or waits to be synced.
  func isKnown(_ kind: MutationEntityType, id: String) throws -> Bool {
    try knows(kind, id: id) && !isTakenBack(kind, id: id)
  }

  /// Latest time of a fix that an import accepts. Clocks of devices can be years ahead.
  var latestFix: Date { now.addingTimeInterval(86_400) }

  /// Imports the records of a file in atomic batches.
  ///
  /// Ids are natural keys of the source, so importing the same file again, on any device, adds nothing.
  /// - Throws: the error of the input, or `InterchangeError`. Batches before the error stay.
  public func importRecords(
    _ input: ByteInput, as format: InterchangeFormat, _ request: ImportRequest
  ) throws -> ImportReport {
    try RecordImporter(store: self, format: format, request: request).run {
      try format.read(input, request.options, $0)
    }
  }

  /// Imports the records of the files in a folder or archive.
  public func importRecords(
    _ files: ExportFiles, as format: InterchangeFormat, _ request: ImportRequest
  ) throws -> ImportReport {
    try RecordImporter(store: self, format: format, request: request).run {
      try format.read(files, request.options, $0)
    }
  }
}
