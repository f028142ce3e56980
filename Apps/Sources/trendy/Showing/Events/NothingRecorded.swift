import AppContainer
import CommandSupport
import TrendyAgent
import TrendyInsights
import TrendyModels

/// Messages for reports that have no entries to show.
enum NothingRecorded {
  /// Returns the message for one event type.
  /// - Parameters:
  ///   - type: event type without matching events.
  ///   - isNarrow: whether options restrict the selection.
  ///   - session: source of the store, to suggest a command that records an event of the type.
  static func words(of type: EventType, isNarrow: Bool, _ session: Session) throws -> String {
    guard !isNarrow else { return "\(type.name): no entries match these options." }
    return "\(type.name): no entries yet. To record one: \(try session.commandRecording(type))"
  }

  /// Returns the message for several event types.
  static func words(isNarrow: Bool) -> String {
    isNarrow
      ? "No entries match these options." : "No entries yet. To record one: trendy log TYPE"
  }
}

extension Session {
  /// Returns the command line that records an event of a type, as an example for the user.
  ///
  /// Depends on the type: `trendy start` for events with a duration, `trendy stop` if an event is running, or `trendy
  /// log` with a value if the first property requires one.
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
