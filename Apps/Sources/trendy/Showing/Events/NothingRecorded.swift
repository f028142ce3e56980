import AppContainer
import CommandSupport
import TrendyAgent
import TrendyInsights
import TrendyModels

/// Texts for reports without entries.
enum NothingRecorded {
  /// Returns the text for one type.
  /// - Parameters:
  ///   - type: type without events.
  ///   - isNarrow: whether options restrict the selection.
  ///   - session: session, for the command that records an event of the type.
  static func words(of type: EventType, isNarrow: Bool, _ session: Session) throws -> String {
    guard !isNarrow else { return "\(type.name): no entries match these options." }
    return "\(type.name): no entries yet. To record one: \(try session.commandRecording(type))"
  }

  /// Text for all types.
  static func words(isNarrow: Bool) -> String {
    isNarrow
      ? "No entries match these options." : "No entries yet. To record one: trendy log TYPE"
  }
}

extension Session {
  /// Returns the command that records an event of a type, by the action of the type.
  func commandRecording(_ type: EventType) throws -> String {
    let record = StoreUserRecord(try openStore().makeStore())
    let name = ShellWords.quoted(type.name)
    switch try record.actions()[type.id] {
    case .start: return "trendy start \(name)"
    case .stop: return "trendy stop \(name)"
    case .ask:
      let first = try record.propertyDefinitions().filter { $0.eventTypeId == type.id }.inOrder.first
      return "trendy log \(name) " + ShellWords.quoted("\(first?.key ?? "")=VALUE")
    case .log, nil: return "trendy log \(name)"
    }
  }
}
