import CommandSupport
import TrendyModels
import TrendyPersistence

extension OptionSpec {
  static let dryRun = OptionSpec("--dry-run", help: "show what it would do, and do nothing")
}

/// The events that a command is to change: by their ids, or all of a selection.
struct EventChoice {
  private enum Choice {
    case ids([String])
    case selection(EventSelection)
  }

  private let choice: Choice

  /// - Throws: ``CommandError`` with exit 64 unless it is one of the two.
  init(_ ids: [String], _ selection: EventSelection, _ session: Session) throws(CommandError) {
    switch (ids.isEmpty, selection.isNarrow) {
    case (false, false): choice = .ids(ids)
    case (true, true): choice = .selection(selection)
    case (true, false): throw session.usageError("Missing the id", hint: "trendy list shows the ids.")
    case (false, true):
      throw session.usageError("Ids and options that say which events do not go together", hint: "One or the other.")
    }
  }

  /// Each once.
  /// - Throws: ``CommandError`` with exit 66 where there is none.
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
      guard !events.isEmpty else { throw CommandError("Nothing found; nothing was done.", exit: .notFound) }
      return events
    }
  }

  /// Shows what is meant and asks; who named the ids has said it.
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
