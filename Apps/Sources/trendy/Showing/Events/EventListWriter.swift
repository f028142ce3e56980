import CommandSupport
import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// Prints a list of events page by page, without keeping printed events in memory.
struct EventListWriter {
  private let console: Console
  private let text: EventText
  private let year: Int
  /// Day of the last heading.
  private var day: CivilDate?
  private(set) var count = 0
  /// Last event by timestamp, after which the next page starts.
  private(set) var last: Event?

  init(_ console: Console, _ session: Session, in store: any DataStoreProtocol) throws {
    self.console = console
    text = try EventText(session, in: store)
    year = session.local.components(of: session.now).year
    if console.format == .json { console.raw("{\"schema\":\"trendy.events/1\",\"events\":[") }
  }

  /// Prints a page.
  /// - Parameter page: events by timestamp, newest first.
  mutating func write(_ page: [Event]) {
    let events = text.local.newestFirst(page)
    let columns = console.format == .text ? text.nameColumns(of: events) : 0
    let ids = console.format == .text ? ShortID.of(events.map(\.id)) : []
    for (place, event) in events.enumerated() {
      switch console.format {
      case .json: console.raw((count + place == 0 ? "" : ",") + text.json(event).description)
      case .ndjson: console.data("\(text.json(event))")
      case .plain: console.row(text.plain(event))
      case .text: write(event, columns: columns, id: ids[place])
      }
    }
    count += page.count
    last = page.last ?? last
  }

  private mutating func write(_ event: Event, columns: Int, id: String) {
    let own = text.local.day(of: event)
    if day != own {
      day = own
      console.text(StyledText([StyledText.Part(text.local.day(text.local.start(of: own), year: year), .heading)]))
    }
    console.text(text.lineOfDay(event, columns: columns, id: id))
  }

  /// Prints the end of the list.
  /// - Parameter older: command line for the next page; `nil` if there is none.
  func end(older: String?) {
    switch console.format {
    case .json:
      let next = JSONText.string(older == nil ? nil : last?.id)
      console.data("],\"next\":\(next)}")
    case .text where count == 0: console.text("No events found.")
    case .text:
      let entries = Quantity(count, "entry", "entries").description
      console.text(StyledText([StyledText.Part(entries + (older.map { ".  Older entries: \($0)" } ?? ""), .dim)]))
    case .ndjson, .plain: break
    }
  }
}
