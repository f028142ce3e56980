public import TrendyModels
public import TrendyProtocols
import TrendySync

extension DataStoreProtocol {
  /// The person's settings that have a value, by their keys.
  public func syncedSettings() throws -> [String: String] { try fetchRecords(kind: .setting).settingValues }
}

extension Sequence<SyncedRecord> {
  /// The values of the settings among them, by their keys.
  public var settingValues: [String: String] {
    var values: [String: String] = [:]
    for record in self where record.kind == .setting {
      guard let key = record.fields["key"]?.stringValue, let value = record.settingValue else { continue }
      // Another program may have made one under an id of its own.
      if values[key] == nil || record.id == SyncedRecord.settingID(key) { values[key] = value }
    }
    return values
  }
}

extension DeviceRecord {
  /// Sets a setting of the person on all their devices, so that it can be taken back; to `nil` for the default.
  public func set(_ key: String, to value: String?) throws {
    let id = SyncedRecord.settingID(key)
    // An entity that is only ever changed: what is taken back is a value, and no device has to bring back what is deleted.
    try recorder.inOneSave { save in
      try save.beginWriting()
      guard try save.store.findRecord(kind: .setting, id: id) == nil else { return }
      let isNew = try save.record(SyncedRecord(id: id, kind: .setting, fields: ["key": .string(key)]))
      if !isNew { try save.restore(.setting, id: id) }
    }
    try perform(value.map { "set \(key) \($0)" } ?? "unset \(key)") { save in
      try save.beginWriting()
      guard let old = try save.store.findRecord(kind: .setting, id: id) else {
        throw RecorderError.notHeld(.setting, id: id)
      }
      var new = old
      new.fields["value"] = value.map { .string($0) }
      try save.turn(.record(old), into: .record(new))
    }
  }
}

extension SyncedRecord {
  /// The same on all devices, so that two that set it at once have one entity.
  fileprivate static func settingID(_ key: String) -> String { "setting-\(key)" }

  fileprivate var settingValue: String? {
    fields["value"]?.stringValue ?? fields["value"]?.intValue.map { "\($0)" }
  }
}
