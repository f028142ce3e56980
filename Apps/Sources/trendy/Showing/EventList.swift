import CommandSupport
import TrendyModels

/// Events that a command answers with.
struct EventList {
  var events: [Event]
  var types: [EventType]

  /// In the format asked for; `words` writes it for people.
  func show(schema: String, _ session: Session, words: (EventText) -> Void) {
    let text = EventText(session: session, types: types)
    switch session.console.format {
    case .json: session.console.document(schema, [("events", .array(events.map { text.json($0) }))])
    case .ndjson: for event in events { session.console.data("\(text.json(event))") }
    case .plain: for event in events { session.console.row(text.plain(event)) }
    case .text: words(text)
    }
  }
}

/// One event that a command answers with.
struct OneEvent {
  var event: Event
  var types: [EventType]

  /// - Parameter isDetailed: whether people read all of it, and not one line that says what was done.
  func show(_ session: Session, isDetailed: Bool = false) -> ExitCode {
    let text = EventText(session: session, types: types)
    switch session.console.format {
    case .json, .ndjson: session.console.document("trendy.event/1", [("event", text.json(event))])
    case .plain: session.console.row(text.plain(event))
    case .text:
      guard isDetailed else {
        session.console.done(text.line(event))
        break
      }
      session.console.text(text.line(event))
      for line in text.detailLines(event) { session.console.text(line) }
    }
    return .done
  }
}
