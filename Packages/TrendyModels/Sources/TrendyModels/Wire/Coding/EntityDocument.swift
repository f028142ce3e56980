public import TrendyFoundation

/// Fields of an entity that all its wire documents share.
public protocol WireFields: Hashable, Sendable {
  /// Members of the document that are not fields.
  var own: OwnMembers { get set }
}

/// Members of a stored entity that are not fields: its id, members that a hub assigns, and members unknown to this
/// version.
public struct OwnMembers: Hashable, Sendable {
  var id = ""
  /// User that owns the entity, or `nil` in a request.
  var userId: String?
  var createdAt: Date?
  var updatedAt: Date?
  var unknown: [String: JSONValue] = [:]
}

/// Wire document that contains a whole entity. Its fields are read and set as properties of the document.
@dynamicMemberLookup
public protocol EntityDocument<Fields>: Hashable, Sendable, Identifiable where ID == String {
  /// Fields of the entity.
  associatedtype Fields: WireFields
  var fields: Fields { get set }
  init(fields: Fields)
}

extension EntityDocument {
  public var id: String { fields.own.id }

  /// Members that this version does not know. They are written back unchanged.
  public var unknownFields: [String: JSONValue] {
    get { fields.own.unknown }
    set { fields.own.unknown = newValue }
  }

  /// Field of the entity, as a property of the document.
  @inlinable public subscript<Value>(dynamicMember field: WritableKeyPath<Fields, Value>) -> Value {
    get { fields[keyPath: field] }
    set { fields[keyPath: field] = newValue }
  }
}

/// Entity as returned by a hub.
public protocol StoredDocument<Fields>: EntityDocument {}

extension StoredDocument {
  public var userId: String {
    get { fields.own.userId ?? "" }
    set { fields.own.userId = newValue }
  }

  public var createdAt: Date? {
    get { fields.own.createdAt }
    set { fields.own.createdAt = newValue }
  }

  public var updatedAt: Date? {
    get { fields.own.updatedAt }
    set { fields.own.updatedAt = newValue }
  }

  /// Creates the entity that a hub stores for a create request at `date`.
  public init(_ request: some EntityDocument<Fields>, userId: String, at date: Date) {
    self.init(fields: request.fields)
    (self.userId, createdAt, updatedAt) = (userId, date, date)
  }
}

/// Fields listed once, in ``visit(_:_:)``, for all operations: reading, writing, comparing and applying.
protocol VisitedFields: WireFields {
  associatedtype Changes: Equatable

  init()

  /// Update that changes no field.
  static var unchanged: Changes { get }

  /// Calls `visitor` for each member, in the order of the wire names.
  mutating func visit<Visitor: FieldVisitor & ~Copyable>(
    _ changes: inout Changes, _ visitor: inout Visitor) throws(Visitor.Failure)
}

extension VisitedFields {
  init(from reader: inout WireReader, as form: DocumentForm) throws {
    self.init()
    reader.form = form
    own.id = try reader.required("id")
    var changes = Self.unchanged
    try visit(&changes, &reader)
    if form == .stored, own.userId == nil { own.userId = "" }
    // Members that a hub assigns are not fields of the entity, even if this version does not read them.
    own.unknown = try reader.unknown().filter { !SyncedKind.ownMembers.contains($0.key) }
  }

  func write(to writer: inout WireWriter) throws {
    try writer.write(unknown: own.unknown)
    var (fields, changes) = (self, Self.unchanged)
    try fields.visit(&changes, &writer)
  }

  static func changes(from reader: inout WireReader) throws -> Changes {
    reader.form = .update
    var (fields, changes) = (Self(), unchanged)
    try fields.visit(&changes, &reader)
    return changes
  }

  static func write(_ changes: Changes, to writer: inout WireWriter) throws {
    writer.isUpdate = true
    var (fields, changes) = (Self(), changes)
    try fields.visit(&changes, &writer)
  }

  /// Returns the update that changes `old` to these fields, with only the fields that differ, or `nil` if no field
  /// differs.
  func changes(from old: Self) -> Changes? {
    var (new, old, changes) = (self, old, Self.unchanged)
    var (setter, reducer) = (ChangeSetter(), ChangeReducer())
    new.visit(&changes, &setter)
    old.visit(&changes, &reducer)
    return changes == Self.unchanged ? nil : changes
  }

  mutating func apply(_ changes: Changes) {
    var (changes, applier) = (changes, ChangeApplier())
    visit(&changes, &applier)
  }
}
