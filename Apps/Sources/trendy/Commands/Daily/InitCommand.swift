import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyProtocols
import TrendySync

struct InitCommand: Command {
  static let spec = CommandSpec(
    "init", summary: "Create the store with five event types to start with.", group: .daily,
    examples: ["init", "init --store ~/trendy"])

  struct Answer {
    /// Whether this command created the store, or found it empty.
    var isNew: Bool
    var made: [String]
    var types: [String]
    /// Event type to suggest for the first entry, if there is one.
    var first: EventType?
  }

  init(_ session: Session) {}

  func act(_ session: Session) throws -> Answer {
    let wasThere = DeviceRecord.exists(at: session.storeDirectory)
    let container = try AppContainer(storeDirectory: session.storeDirectory)
    let (isNew, made) = try container.recorder.inOneSave { save in
      try save.beginWriting()
      let isNew = try !wasThere || isEmpty(save.store, container)
      var made: [String] = []
      for (type, definitions) in isNew ? StarterTypes.all : [] where try save.store.findEventType(id: type.id) == nil {
        try save.record(type)
        for definition in definitions { try save.record(definition) }
        made.append(type.name)
      }
      return (isNew, made)
    }
    let types = try container.makeStore().fetchAllEventTypes()
    return Answer(
      isNew: isNew, made: made, types: types.map(\.name), first: types.first { $0.name == "coffee" } ?? types.first)
  }

  /// Whether the store is unused: it has no hub, and no event type was ever recorded or deleted.
  private func isEmpty(_ store: any DataStoreProtocol, _ container: AppContainer) throws -> Bool {
    return try store.fetchAllEventTypes().isEmpty && store.syncCounts().pending == 0
      && store.syncCursor() == nil && container.accountFile.owner() == nil
      && container.recorder.deleted(.eventType).isEmpty
  }

  func show(_ answer: Answer, _ session: Session) throws -> ExitCode {
    let path = session.storeDirectory.path
    if session.console.isJSON {
      session.console.document(
        "trendy.init/1",
        [
          ("store", .string(path)), ("created", .bool(answer.isNew)),
          ("event_types", .array(answer.types.map { .string($0) })),
        ])
      return .done
    }
    session.console.done(
      answer.isNew
        ? "Store ready. No account needed; all data stays on this machine." : "The store at \(path) already exists.")
    session.console.done("Types: \((answer.made.isEmpty ? answer.types : answer.made).joined(separator: ", "))")
    session.console.done("Next:  \(try answer.first.map(session.commandRecording) ?? "trendy log TYPE")")
    return .done
  }
}
