import CommandSupport
import TrendyModels
import TrendyPersistence

extension OptionSpec {
  static let dryRun = OptionSpec("--dry-run", help: "show what would change, without changing anything")
}

/// Events to change, selected by id or by options.
struct EventChoice {
  private enum Choice {
    case ids([String])
    case selection(EventSelection)
  }

  private let choice: Choice

  init(_ ids: [String], _ selection: EventSelection, _ session: Session) throws(CommandError) {
    switch (ids.isEmpty, selection.isNarrow) {
    case (false, false): choice = .ids(ids)
    case (true, true): choice = .selection(selection)
    case (true, false): throw session.usageError("Missing id", hint: "List ids: trendy list")
    case (false, true):
      throw session.usageError("Ids cannot be combined with options that select events", hint: "Use one or the other.")
    }
  }

  func events(in store: LocalStore, _ session: Session) throws -> [Event] {
    switch choice {
    case .ids(let ids):
      let lookup = Lookup(store: store)
      var events: [Event] = []
      for id in ids {
        let event = try lookup.event(id)
        if !events.contains(where: { $0.id == event.id }) { events.append(event) }
      }
      return events
    case .selection(let selection):
      let events = try selection.search(in: store, session).events(in: store)
      guard !events.isEmpty else {
        throw CommandError("No matching events found", hint: "Nothing was done.", exit: .notFound)
      }
      return events
    }
  }

  /// Lists the selected events and asks for confirmation. Events selected by id need no confirmation.
  func confirm(_ question: String, of list: EventList, _ session: Session) throws(CommandError) {
    guard case .selection = choice else { return }
    try session.confirm(question, about: list.events.map(\.id)) {
      let text = list.text(session)
      for event in list.events.prefix(Self.shown) { session.console.talk(text.line(event).plain) }
      if list.events.count > Self.shown { session.console.talk("… and \(list.events.count - Self.shown) more") }
    }
  }

  private static let shown = 10
}
