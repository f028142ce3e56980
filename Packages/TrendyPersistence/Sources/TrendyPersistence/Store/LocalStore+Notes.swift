public import TrendyModels

extension LocalStore {
  /// Returns the local value with this name, or `nil` if there is none. Local values are included in saves and backups
  /// but never synced.
  public func note(named name: String) throws -> JSONValue? { try find(StoredNote.self, name)?.value }

  /// Stores a local value under a name of 1 to 128 bytes, replacing any earlier value. `nil` removes the value.
  public func setNote(_ value: JSONValue?, named name: String) throws {
    guard (1...128).contains(name.utf8.count) else { throw StorageError.invalidIdentifier(name) }
    guard let value else { return try remove(RowKind.note, name) }
    try put(StoredNote(name: name, value: value))
  }
}

struct StoredNote: StoredRow {
  var name: String
  var value: JSONValue

  static var kind: UInt8 { RowKind.note }
  static var lastField: Int { 2 }
  var rowIdentifier: String { name }

  init(name: String, value: JSONValue) {
    self.name = name
    self.value = value
  }

  func write(to writer: RowWriter) { writer.json(2, value) }

  init?(identifier: @autoclosure () -> String, fields: inout RowReader) {
    var value: JSONValue?
    while let field = fields.next() {
      guard field.number == 2 else { continue }
      guard let read = field.json else { return nil }
      value = read
    }
    guard !fields.isBroken, let value else { return nil }
    self.init(name: identifier(), value: value)
  }
}
