public import TrendyModels
public import TrendyProtocols
import TrendySync

extension DataStoreProtocol {
  /// Returns the values of the user's synced settings by key. Settings without a value are omitted.
  public func syncedSettings() throws -> [String: String] { try fetchRecords(kind: .setting).settingValues }
}

extension Sequence<SyncedRecord> {
  /// Values of the settings among the records, by key.
  public var settingValues: [String: String] {
    var values: [String: String] = [:]
    for record in self where record.kind == .setting {
      guard let key = record.fields["key"]?.stringValue, let value = record.settingValue else { continue }
      // Prefer the derived id, because another program may have created a setting with another id.
      if values[key] == nil || record.id == SyncedRecord.settingID(key) { values[key] = value }
    }
    return values
  }
}

extension DeviceRecord {
  /// Sets a synced setting as an undo step. A value of `nil` restores the default.
  public func set(_ key: String, to value: String?) throws {
    let id = SyncedRecord.settingID(key)
    // Create the setting before the undo step, which only changes the setting's value. Undo then never has to delete or
    // restore the setting.
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
  /// Returns the id of a setting, derived from the key. Devices that set the same setting at the same time therefore
  /// share one entity.
  fileprivate static func settingID(_ key: String) -> String { "setting-\(key)" }

  fileprivate var settingValue: String? {
    fields["value"]?.stringValue ?? fields["value"]?.intValue.map { "\($0)" }
  }
}
