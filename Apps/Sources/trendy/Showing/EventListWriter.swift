import CommandSupport
import TrendyModels
import TrendyProtocols

/// Writes a list of events as they are found, a page at a time: what was written needs no memory.
struct EventListWriter {
  private let console: Console
  private let text: EventText
  private let year: Int
  /// Of the last heading.
  private var day = ""
  private(set) var count = 0
  private(set) var last: Event?

  init(_ console: Console, _ session: Session, in store: any DataStoreProtocol) throws {
    self.console = console
    text = try EventText(session, in: store)
    year = session.local.components(of: session.now).year
    if console.format == .json { console.raw("{\"schema\":\"trendy.events/1\",\"events\":[") }
  }

  mutating func write(_ events: [Event]) {
    let columns = console.format == .text ? text.nameColumns(of: events) : 0
    let ids = console.format == .text ? ShortID.of(events.map(\.id)) : []
    for (place, event) in events.enumerated() {
      switch console.format {
      case .json: console.raw((count == 0 ? "" : ",") + text.json(event).description)
      case .ndjson: console.data("\(text.json(event))")
      case .plain: console.row(text.plain(event))
      case .text: write(event, columns: columns, id: ids[place])
      }
      count += 1
      last = event
    }
  }

  private mutating func write(_ event: Event, columns: Int, id: String) {
    let heading = text.local.day(text.local.startOfDay(text.local.moment(of: event)), year: year)
    if heading != day { console.text(StyledText([StyledText.Part(heading, .heading)])) }
    day = heading
    console.text(text.lineOfDay(event, columns: columns, id: id))
  }

  /// - Parameter older: the command line that shows what comes behind the last; `nil` where there is no more.
  func end(older: String?) {
    switch console.format {
    case .json:
      let next = JSONText.string(older == nil ? nil : last?.id)
      console.data("],\"next\":\(next)}")
    case .text where count == 0: console.text("Nothing found.")
    case .text:
      let entries = Quantity(count, "entry", "entries").description
      console.text(StyledText([StyledText.Part(entries + (older.map { ".  Older: \($0)" } ?? ""), .dim)]))
    case .ndjson, .plain: break
    }
  }
}
