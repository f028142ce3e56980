import TrendyModels
import TrendyPersistence
import TrendySync

/// Prefixes of type names that the user has accepted on this device, stored as a local value.
extension DeviceRecord {
  private static let abbreviations = "abbreviations"

  /// Returns the id of the type for which the user has accepted this prefix, or `nil`.
  public func type(abbreviatedBy word: String) throws -> String? {
    try dataStoreFactory.makeLocalStore().note(named: Self.abbreviations)?.objectValue?[word.lowercased()]?.stringValue
  }

  /// Remembers that the user has accepted a prefix for a type.
  public func remember(_ word: String, asTypeWithID id: String) throws {
    try recorder.inOneSave { save in
      try save.beginWriting()
      var words = try save.localStore.note(named: Self.abbreviations)?.objectValue ?? [:]
      words[word.lowercased()] = .string(id)
      try save.localStore.setNote(.object(words), named: Self.abbreviations)
    }
  }
}
