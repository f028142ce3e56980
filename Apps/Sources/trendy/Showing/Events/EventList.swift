import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols

struct EventList {
  var events: [Event]
  let types: [EventType]
  private let places: [Geofence]
  private let running: Set<String>

  init(_ events: [Event], in store: any DataStoreProtocol) throws {
    self.events = events
    types = try store.fetchAllEventTypes()
    places = events.contains { $0.sourceType == .trip } ? try store.fetchAllGeofences() : []
    running = Set(try RunningEvent.all(in: store).map(\.event.id))
  }

  func text(_ session: Session) -> EventText {
    EventText(session: session, types: types, places: places, running: running)
  }

  /// Prints the events in the console's output format. `more` are additional JSON members, and `words` prints the
  /// events as text.
  func show(
    schema: String, more: [(String, JSONText)] = [], _ session: Session, words: (Console, EventText) -> Void
  ) {
    let text = text(session)
    session.console.gathering { console in
      switch console.format {
      case .json: console.document(schema, [("events", .array(events.map { text.json($0) }))] + more)
      case .ndjson: for event in events { console.data("\(text.json(event))") }
      case .plain: for event in events { console.row(text.plain(event)) }
      case .text: words(console, text)
      }
    }
  }
}

struct OneEvent {
  private let list: EventList

  var event: Event { list.events[0] }

  init(_ event: Event, in store: any DataStoreProtocol) throws { list = try EventList([event], in: store) }

  /// Uses the only event in a list.
  init(_ list: EventList) {
    precondition(list.events.count == 1, "expected one event, not \(list.events.count)")
    self.list = list
  }

  func show(_ session: Session, isDetailed: Bool = false) -> ExitCode {
    let text = list.text(session)
    switch session.console.format {
    case .json, .ndjson: session.console.document("trendy.event/1", [("event", text.json(event))])
    case .plain: session.console.row(text.plain(event))
    case .text where isDetailed:
      session.console.text(text.line(event))
      for line in text.detailLines(event) { session.console.text(line) }
    case .text: session.console.done(text.line(event))
    }
    return .done
  }
}
