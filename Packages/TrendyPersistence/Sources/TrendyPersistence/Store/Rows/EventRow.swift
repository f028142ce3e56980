public import TrendyFoundation
public import TrendyModels

/// Stored event whose strings are decoded only when they are used.
///
/// Intended for reading many events when few of their values are needed, as in charts, searches and totals. A row keeps
/// its bytes alive and does not change when events are saved. Use it only in the isolation domain of its store.
public struct EventRow {
  private let fields: EventRowFields
  private let source: EventRowSource

  init(_ fields: EventRowFields, _ source: EventRowSource) {
    self.fields = fields
    self.source = source
  }

  /// Id of the event in compact form.
  public var identifier: CompactIdentifier { fields.identifier }
  /// Id of the event type.
  public var eventTypeId: String { source.reader.eventTypeId(fields) }
  /// Start of the event.
  public var timestamp: Date { Date(timeIntervalSinceReferenceDate: fields.timestamp) }
  /// End of the event, or `nil` if it has none.
  public var endDate: Date? { fields.endDate.map { Date(timeIntervalSinceReferenceDate: $0) } }
  /// Whether the event covers whole days.
  public var isAllDay: Bool { fields.traits.isAllDay }
  /// Source of the event.
  public var sourceType: EventSourceType { fields.sourceType }
  /// Sync status of the event.
  public var syncStatus: SyncStatus { fields.syncStatus }
  /// Latitude in degrees.
  public var locationLatitude: Double? { fields.latitude }
  /// Longitude in degrees.
  public var locationLongitude: Double? { fields.longitude }
  /// Notes of the event.
  public var notes: Text? { text(fields.notes) }
  /// Name of the location.
  public var locationName: Text? { text(fields.locationName) }
  /// Identifier of the time zone where the event was recorded, such as `Europe/Berlin`.
  public var timeZone: Text? { text(fields.timeZone) }

  /// Calls `body` with the name and value of each property, ordered by name.
  /// - Throws: ``StorageError/unreadableRow(kind:key:)``.
  public func forEachProperty(_ body: (String, PropertyValue) -> Void) throws(StorageError) {
    guard source.reader.forEachProperty(fields, body) else { throw unreadable }
  }

  /// Calls `body` with each property, ordered by name, without creating strings. The arguments are the shape of all
  /// properties, the property's index in the shape, and the packed value, which must not escape the closure.
  /// - Throws: ``StorageError/unreadableRow(kind:key:)``.
  @inlinable public func forEachPackedProperty(
    _ body: (PropertyShape, Int, PackedValue) -> Void
  ) throws(StorageError) {
    // Inlined into callers to save a call per value.
    defer { withExtendedLifetime(self) {} }
    guard let (shape, values) = try packedProperties() else { return }
    guard PackedProperties.forEachPacked(shape, values, body) else { throw unreadable }
  }

  @usableFromInline func packedProperties() throws(StorageError) -> (PropertyShape, UnsafeRawBufferPointer)? {
    guard let bytes = fields.properties else { return nil }
    guard let pieces = source.reader.shapes.split(bytes) else { throw unreadable }
    return pieces
  }

  @usableFromInline var unreadable: StorageError {
    .unreadableRow(kind: RowKind.event, key: RowLayout.key(fields.record))
  }

  /// Decodes the whole event.
  /// - Throws: ``StorageError/unreadableRow(kind:key:)``.
  public func event() throws(StorageError) -> Event {
    guard let event = source.reader.event(fields.record) else { throw unreadable }
    return event
  }

  /// Whether the event was recorded in the time zone of `local`, or its time zone is unknown.
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
  /// UTF-8 text in a row.
  public struct Text {
    fileprivate let bytes: UnsafeRawBufferPointer
    fileprivate let source: EventRowSource

    /// Length of the text in bytes.
    public var utf8Count: Int { bytes.count }
    /// The text as a string, newly created on each access.
    public var text: String {
      defer { withExtendedLifetime(source) {} }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// Calls `body` with the bytes of the text, which must not escape the closure.
    public func withUTF8<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
      defer { withExtendedLifetime(source) {} }
      return try body(bytes)
    }
  }
}

@available(*, unavailable)
extension EventRow.Text: Sendable {}

/// Event rows in the order of ``LocalStore/events(in:ofType:limit:)``, each decoded when it is accessed.
public struct EventRows {
  let records: [UnsafeRawPointer]
  let source: EventRowSource

  /// Number of rows.
  public var count: Int { records.count }
  public var isEmpty: Bool { records.isEmpty }

  /// Returns the row at an index.
  /// - Throws: ``StorageError/unreadableRow(kind:key:)``.
  public func row(_ index: Int) throws(StorageError) -> EventRow {
    let record = records[index]
    guard let fields = EventRowFields(record) else {
      throw .unreadableRow(kind: RowKind.event, key: RowLayout.key(record))
    }
    return EventRow(fields, source)
  }

  /// Calls `body` with each row in order. Rethrows its errors, and throws ``StorageError/unreadableRow(kind:key:)``.
  public func forEach<Failure: Error>(_ body: (EventRow) throws(Failure) -> Void) throws {
    for index in records.indices { try body(row(index)) }
  }
}

@available(*, unavailable)
extension EventRows: Sendable {}

final class EventRowSource {
  let pin: RowPin
  let reader: EventReader

  init(pin: RowPin, reader: EventReader) {
    self.pin = pin
    self.reader = reader
  }
}
