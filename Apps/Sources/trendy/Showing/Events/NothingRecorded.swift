import CommandSupport
import TrendyModels

/// What is said where there is nothing to look back at.
enum NothingRecorded {
  static func words(of type: EventType) -> String {
    "\(type.name): nothing recorded yet. trendy log \(ShellWords.quoted(type.name))"
  }

  /// - Parameters:
  ///   - type: without events.
  ///   - isNarrow: whether the options leave any out.
  static func words(of type: EventType, isNarrow: Bool) -> String {
    isNarrow ? "\(type.name): nothing recorded that is meant by these options." : words(of: type)
  }

  /// Of every type.
  static func words(isNarrow: Bool) -> String {
    isNarrow
      ? "Nothing recorded that is meant by these options." : "Nothing recorded yet. trendy log TYPE records something."
  }
}
