public import TrendyFoundation
public import TrendyModels

/// An event as it lies in the store: its numbers are read, its texts are made when they are asked for.
///
/// For going through many events of which little is needed: a chart, a search, a sum. It keeps what it shows, whatever is
/// saved meanwhile, and belongs to the isolation of the store that it came from.
public struct EventRow {
  private let fields: EventRowFields
  private let source: EventRowSource

  init(_ fields: EventRowFields, _ source: EventRowSource) {
    self.fields = fields
    self.source = source
  }

  /// What the event's `id` is the text of.
  public var identifier: CompactIdentifier { fields.identifier }
  public var eventTypeId: String { source.reader.eventTypeId(fields) }
  public var timestamp: Date { Date(timeIntervalSinceReferenceDate: fields.timestamp) }
  public var endDate: Date? { fields.endDate.map { Date(timeIntervalSinceReferenceDate: $0) } }
  public var isAllDay: Bool { fields.traits.isAllDay }
  public var sourceType: EventSourceType { fields.sourceType }
  public var syncStatus: SyncStatus { fields.syncStatus }
  public var locationLatitude: Double? { fields.latitude }
  public var locationLongitude: Double? { fields.longitude }
  public var notes: Text? { text(fields.notes) }
  public var locationName: Text? { text(fields.locationName) }
  public var timeZone: Text? { text(fields.timeZone) }

  /// Shows each property in the order of the names.
  /// - Throws: ``StorageError/unreadableRow(kind:key:)``.
  public func forEachProperty(_ body: (String, PropertyValue) -> Void) throws(StorageError) {
    guard source.reader.forEachProperty(fields, body) else { throw unreadable }
  }

  /// Shows each property in the order of the names, by the shape of all of them and its place in that. No text is made; a value
  /// must not be let out.
  /// - Throws: ``StorageError/unreadableRow(kind:key:)``.
  @inlinable public func forEachPackedProperty(
    _ body: (PropertyShape, Int, PackedValue) -> Void
  ) throws(StorageError) {
    // Inlined into who looks at the values, which saves a call for each.
    defer { withExtendedLifetime(self) {} }
    guard let (shape, values) = try packedProperties() else { return }
    guard PackedProperties.forEachPacked(shape, values, body) else { throw unreadable }
  }

  /// The names and types of the properties, and their values one after the other; `nil` if there are none.
  @usableFromInline func packedProperties() throws(StorageError) -> (PropertyShape, UnsafeRawBufferPointer)? {
    guard let bytes = fields.properties else { return nil }
    guard let pieces = source.reader.shapes.split(bytes) else { throw unreadable }
    return pieces
  }

  @usableFromInline var unreadable: StorageError {
    .unreadableRow(kind: RowKind.event, key: RecordLayout.key(fields.record))
  }

  /// The whole event.
  /// - Throws: ``StorageError/unreadableRow(kind:key:)``.
  public func event() throws(StorageError) -> Event {
    guard let event = source.reader.event(fields.record) else { throw unreadable }
    return event
  }

  /// Whether the clock here is the one that it was recorded by; also where none is known.
  public func wasRecorded(in local: LocalTime) -> Bool {
    guard let zone = fields.timeZone else { return true }
    guard var name = local.zoneName else { return false }
    return name.withUTF8 { $0.elementsEqual(zone) }
  }

  private func text(_ bytes: UnsafeRawBufferPointer?) -> Text? { bytes.map { Text(bytes: $0, source: source) } }
}

@available(*, unavailable)
extension EventRow: Sendable {}

extension EventRow {
  /// A text of a row, as bytes.
  public struct Text {
    fileprivate let bytes: UnsafeRawBufferPointer
    fileprivate let source: EventRowSource

    public var utf8Count: Int { bytes.count }
    /// Made anew each time.
    public var text: String {
      defer { withExtendedLifetime(source) {} }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// - Parameter body: must not let the bytes out.
    public func withUTF8<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
      defer { withExtendedLifetime(source) {} }
      return try body(bytes)
    }
  }
}

@available(*, unavailable)
extension EventRow.Text: Sendable {}

/// Events of a store, each read when it is asked for, in the order of ``LocalStore/events(in:ofType:limit:)``.
public struct EventRows {
  let records: [UnsafeRawPointer]
  let source: EventRowSource

  public var count: Int { records.count }
  public var isEmpty: Bool { records.isEmpty }

  /// - Throws: ``StorageError/unreadableRow(kind:key:)``.
  public func row(_ index: Int) throws(StorageError) -> EventRow {
    let record = records[index]
    guard let fields = EventRowFields(record) else {
      throw .unreadableRow(kind: RowKind.event, key: RecordLayout.key(record))
    }
    return EventRow(fields, source)
  }

  public func forEach<Failure: Error>(_ body: (EventRow) throws(Failure) -> Void) throws {
    for index in records.indices { try body(row(index)) }
  }
}

@available(*, unavailable)
extension EventRows: Sendable {}

/// What the rows of one query need: their memory, and what makes values of them.
final class EventRowSource {
  let pin: RecordPin
  let reader: EventReader

  init(pin: RecordPin, reader: EventReader) {
    self.pin = pin
    self.reader = reader
  }
}
