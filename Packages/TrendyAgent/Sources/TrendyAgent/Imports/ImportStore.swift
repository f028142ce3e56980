public import TrendyFoundation
public import TrendyInterchange
public import TrendyModels
public import TrendyPersistence
public import TrendyTrips

/// A person's record as an import sees it: a device's own store, or what a hub keeps of the person.
///
/// One import's view: what it saves is of this import. It is used on one thread at a time.
public protocol ImportStore: AnyObject {
  var now: Date { get }
  /// Of the import; `nil` as long as it saved nothing.
  var importID: String? { get }
  /// Whether an earlier call was interrupted, and this one goes on.
  var isContinued: Bool { get }

  /// How the files of earlier imports were read that were not undone, the oldest first.
  func earlierReadings() throws -> [ImportReading]
  /// Notes how the file is read, before anything is saved.
  func note(_ reading: ImportReading)

  /// A new id, above every one before it.
  func makeID() -> String
  func eventTypes() throws -> [EventType]
  func propertyDefinitions() throws -> [PropertyDefinition]
  /// `nil` for one that does not live.
  func event(id: String) throws -> Event?
  /// The living events that begin in a range; `nil` for those of all types.
  func events(in range: Range<Date>, ofType type: String?) throws -> [Event]
  /// Whether it was deleted, by whomever.
  func isDeleted(_ kind: MutationEntityType, id: String) throws -> Bool
  /// Whether it lives, or was deleted on any device, or is on its way.
  func knows(_ kind: MutationEntityType, id: String) throws -> Bool
  /// Whether an import made it that was taken back: it may come again.
  func isTakenBack(_ kind: MutationEntityType, id: String) throws -> Bool
  /// The type under which trips or visits are recorded, made where there is none.
  func type(_ kind: BuiltInType) throws -> EventType

  /// Entities that are best saved at once. The default is some thousands.
  var batchSize: Int { get }
  /// Saves a batch, whole or not at all; durable on return.
  /// - Returns: of each, whether it was not there before.
  func save(_ batch: [Undoable]) throws -> [Bool]
  /// Whether a batch may be saved on another thread while the file is read on. Nothing else is asked of the store meanwhile, but for its
  /// clock and a new id. The default says no.
  var savesBesideReading: Bool { get }
  /// Lists an import that made nothing but brought fixes.
  func noteReadings() throws
  /// The import is over.
  func finish() throws

  /// Tells the person's places and settings by which trips and visits are found in the file, and records those that are found.
  func makeJournal() throws -> any FindingJournal
  func openTrackLog() throws -> TrackLog
  /// The log of a store that has one; a dry run makes none.
  func presentTrackLog() throws -> TrackLog?
  /// What it writes is of this import.
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

  /// Takes in the records of a file, in batches each of which is saved whole.
  ///
  /// Ids follow from what an event is in its source, so the same file adds nothing the second time, into whichever store of the person.
  /// - Throws: what the input throws, or `InterchangeError`; the batches before it stay.
  public func importRecords(
    _ input: ByteInput, as format: InterchangeFormat, _ request: ImportRequest
  ) throws -> ImportReport {
    try RecordImporter(store: self, format: format, request: request).run {
      try format.read(input, request.options, $0)
    }
  }

  /// Takes in the records of the files of a folder or an archive.
  public func importRecords(
    _ files: ExportFiles, as format: InterchangeFormat, _ request: ImportRequest
  ) throws -> ImportReport {
    try RecordImporter(store: self, format: format, request: request).run {
      try format.read(files, request.options, $0)
    }
  }
}
