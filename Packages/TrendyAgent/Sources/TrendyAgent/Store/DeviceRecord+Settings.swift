public import TrendyModels
public import TrendyProtocols
import TrendySync

extension DataStoreProtocol {
  /// Returns the user's synced settings that have a value, by key.
  public func syncedSettings() throws -> [String: String] { try fetchRecords(kind: .setting).settingValues }
}

extension Sequence<SyncedRecord> {
  /// Values of the settings among the records, by key.
  public var settingValues: [String: String] {
    var values: [String: String] = [:]
    for record in self where record.kind == .setting {
      guard let key = record.fields["key"]?.stringValue, let value = record.settingValue else { continue }
      // Another program may have created a setting with a different id; the usual id has priority.
      if values[key] == nil || record.id == SyncedRecord.settingID(key) { values[key] = value }
    }
    return values
  }
}

extension DeviceRecord {
  /// Sets a synced setting of the user as an undo step; `nil` restores the default.
  public func set(_ key: String, to value: String?) throws {
    let id = SyncedRecord.settingID(key)
    // A setting is created once and then only changed, so that undo never has to restore a deleted entity.
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
  /// Id derived from the key, so that devices which set it at the same time have one entity.
  fileprivate static func settingID(_ key: String) -> String { "setting-\(key)" }

  fileprivate var settingValue: String? {
    fields["value"]?.stringValue ?? fields["value"]?.intValue.map { "\($0)" }
  }
}
