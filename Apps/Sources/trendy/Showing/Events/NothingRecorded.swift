import AppContainer
import CommandSupport
import TrendyAgent
import TrendyInsights
import TrendyModels

/// Messages for reports without entries.
enum NothingRecorded {
  /// Returns the message for one event type without matching events. `isNarrow` is whether options restrict the
  /// selection.
  static func words(of type: EventType, isNarrow: Bool, _ session: Session) throws -> String {
    guard !isNarrow else { return "\(type.name): no entries match these options." }
    return "\(type.name): no entries yet. To record one: \(try session.commandRecording(type))"
  }

  static func words(isNarrow: Bool) -> String {
    isNarrow
      ? "No entries match these options." : "No entries yet. To record one: trendy log TYPE"
  }
}

extension Session {
  /// Returns an example command line that records an event of a type.
  ///
  /// It is `trendy start` for events with a duration, `trendy stop` if one is running, or `trendy log`, with a value if
  /// the first property requires one.
  func commandRecording(_ type: EventType) throws -> String {
    let record = StoreUserRecord(try openStore().makeStore())
    let name = ShellWords.quoted(type.name)
    switch try record.actions(of: [type])[type.id] {
    case .start: return "trendy start \(name)"
    case .stop: return "trendy stop \(name)"
    case .ask:
      let first = try record.propertyDefinitions().filter { $0.eventTypeId == type.id }.inOrder.first
      return "trendy log \(name) " + ShellWords.quoted("\(first?.key ?? "")=VALUE")
    case .log, nil: return "trendy log \(name)"
    }
  }
}
