import CommandSupport
import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// Prints a long list of events in pages, without holding all of them in memory.
struct EventListWriter {
  private let console: Console
  private let text: EventText
  private let year: Int
  /// Days to list, with each event on every day that it overlaps, or `nil` to list each event on its first day only.
  private let days: ClosedRange<CivilDate>?
  /// Events not yet printed on all of their days.
  private var held: [Event] = []
  /// Earliest day whose events have all been printed.
  private var printed: CivilDate?
  /// Day of the last heading.
  private var day: CivilDate?
  private(set) var count = 0
  /// Last event by timestamp. The next page starts after it.
  private(set) var last: Event?

  init(
    _ console: Console, _ session: Session, in store: any DataStoreProtocol, days: ClosedRange<CivilDate>? = nil
  ) throws {
    self.console = console
    self.days = days
    text = try EventText(session, in: store)
    year = session.local.components(of: session.now).year
    if console.format == .json { console.raw("{\"schema\":\"trendy.events/1\",\"events\":[") }
  }

  /// Prints a page of events in descending order of timestamps.
  mutating func write(_ page: [Event]) {
    count += page.count
    last = page.last ?? last
    guard console.format == .text else { return writeData(text.local.newestFirst(page)) }
    held += page
    // A later page may have events on more recent days, because an event in another time zone may have a later date,
    // and a long event extends into the following days.
    guard let last = page.last else { return }
    printDays(after: text.local.day(of: last).advanced(by: LocalTime.longestReach + 1))
  }

  private func writeData(_ events: [Event]) {
    for (place, event) in events.enumerated() {
      switch console.format {
      case .json: console.raw((count - events.count + place == 0 ? "" : ",") + text.json(event).description)
      case .ndjson: console.data("\(text.json(event))")
      case .plain: console.row(text.plain(event))
      case .text: break
      }
    }
  }

  /// Prints unprinted events on days after `bound`, or on all remaining days if it is `nil`.
  private mutating func printDays(after bound: CivilDate?) {
    let local = text.local
    func isOpen(_ day: CivilDate) -> Bool { bound.map { day > $0 } ?? true && printed.map { day < $0 } ?? true }
    let rows = held.flatMap { event in
      days(of: event).filter(isOpen).map { (day: $0, moment: local.moment(of: event, on: $0), event: event) }
    }.sorted { ($0.day, $0.moment, $0.event.id) > ($1.day, $1.moment, $1.event.id) }
    let columns = text.nameColumns(of: rows.map(\.event))
    for (row, id) in zip(rows, ShortID.of(rows.map(\.event.id))) {
      if day != row.day {
        day = row.day
        console.text(StyledText([StyledText.Part(local.day(local.start(of: row.day), year: year), .heading)]))
      }
      console.text(text.lineOfDay(row.event, columns: columns, id: id, on: row.day))
    }
    printed = bound?.advanced(by: 1) ?? printed
    held.removeAll { event in bound.map { local.day(of: event) > $0 } ?? true }
  }

  private func days(of event: Event) -> [CivilDate] {
    let own = text.local.days(of: event)
    guard let days else { return [own.lowerBound] }
    let last = min(own.upperBound, own.lowerBound.advanced(by: LocalTime.longestReach))
    return (own.lowerBound...last).filter(days.contains)
  }

  /// Prints the remaining events and the end of the list. `older` is the command line for the next page, if there is
  /// one.
  mutating func end(older: String?) {
    if console.format == .text { printDays(after: nil) }
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
