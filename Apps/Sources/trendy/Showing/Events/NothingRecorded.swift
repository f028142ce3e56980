import CommandSupport
import TrendyModels

/// Texts for reports without entries.
enum NothingRecorded {
  static func words(of type: EventType) -> String {
    "\(type.name): no entries yet. To record one: trendy log \(ShellWords.quoted(type.name))"
  }

  /// Returns the text for one type.
  /// - Parameters:
  ///   - type: type without events.
  ///   - isNarrow: whether options restrict the selection.
  static func words(of type: EventType, isNarrow: Bool) -> String {
    isNarrow ? "\(type.name): no entries match these options." : words(of: type)
  }

  /// Text for all types.
  static func words(isNarrow: Bool) -> String {
    isNarrow
      ? "No entries match these options." : "No entries yet. To record one: trendy log TYPE"
  }
}
