import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync

struct ListCommand: Command {
  static let spec = CommandSpec(
    "list", .optional("type", .eventType), summary: "List events, newest first.", group: .daily,
    examples: ["list coffee --since mon", "list --where 'count>2' --place home", "list --limit 0 --ndjson"],
    options: EventSelection.options + [
      OptionSpec("--before", value: "id", kind: .event, help: "only events older than this one"),
      OptionSpec(
        "--limit", "-n", value: "n", kind: .number,
        help: "maximum number of events (default: list_limit, 50; 0 for all)"),
      OptionSpec("--deleted", help: "list deleted events; trendy restore ID restores one"),
      OptionSpec("--fail-empty", help: "exit with status 1 if no event matches"), Pager.option,
    ], columns: .eventColumns)

  private let selection: EventSelection
  /// Id of the event before which the list starts, or `nil` for the newest events.
  private let before: String?
  private let limit: Int
  private let showsDeleted: Bool
  private let failsEmpty: Bool

  init(_ session: Session) throws {
    let arguments = session.arguments
    selection = try EventSelection(session, ofTypes: arguments.positionals)
    before = arguments.value("--before")
    let most = try session.wholeNumber(option: "--limit", in: 0...Int.max) ?? session.listLimit
    limit = most > 0 ? most : .max
    showsDeleted = arguments.has("--deleted")
    failsEmpty = arguments.has("--fail-empty")
    if showsDeleted, before != nil { throw session.usageError("--before cannot be used with --deleted") }
  }

  /// Query whose events are read in pages while they are printed.
  struct Answer {
    let store: LocalStore
    let search: EventSearch
    /// Deleted events to list, or `nil` to list events in the store.
    let deleted: [Event]?
    let cursor: EventCursor?
  }

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    let store = container.makeLocalStore()
    let cursor = try before.map { try Lookup(store: store).event($0) }
      .map { EventCursor(timestamp: $0.timestamp, id: $0.id) }
    // Text lists an event on every day that it overlaps. Other formats list it once, by its start.
    let search = try selection.search(in: store, session, includesExtending: session.console.format == .text)
    var deleted: [Event]?
    if showsDeleted {
      deleted = search.events(among: try container.record.deleted([.event]).compactMap(\.event))
        .sorted { ($0.timestamp, $0.id) > ($1.timestamp, $1.id) }
    }
    return Answer(store: store, search: search, deleted: deleted, cursor: cursor)
  }

  func show(_ answer: Answer, _ session: Session) throws -> ExitCode {
    var count = 0
    try session.console.gathering { console in
      var writer = try EventListWriter(console, session, in: answer.store, days: answer.search.range?.days)
      var hasMore = false
      func write(_ page: [Event]) -> Bool {
        let room = limit - writer.count
        writer.write(Array(page.prefix(room)))
        hasMore = page.count > room
        return !hasMore
      }
      if let deleted = answer.deleted {
        _ = write(deleted)
      } else {
        // Read one event more than the limit to see whether there are more.
        let first = limit == .max ? limit : limit + 1
        try answer.search.forEachPage(in: answer.store, after: answer.cursor, first: first, write)
      }
      writer.end(older: hasMore ? try older(than: writer.last, in: answer.store, session) : nil)
      count = writer.count
    }
    return count == 0 && failsEmpty ? .no : .done
  }

  private func older(than event: Event?, in store: LocalStore, _ session: Session) throws -> String? {
    guard let event, !showsDeleted else { return nil }
    var words: [String] = []
    var rest = session.words[...]
    while let word = rest.popFirst() {
      if word == "--before" { rest = rest.dropFirst() } else if !word.hasPrefix("--before=") { words.append(word) }
    }
    let short = ShortID.of(event.id)
    let isOne = try store.events(idBeginning: short, limit: 2).count == 1
    return (["trendy"] + words + ["--before", isOne ? short : event.id]).map(ShellWords.quoted).joined(separator: " ")
  }
}
