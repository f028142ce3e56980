import AppContainer
import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels
import TrendyProtocols
import TrendySync

/// `trendy list`
struct ListCommand: Command {
  static let spec = CommandSpec(
    "list", summary: "What was recorded, the newest first.", group: .daily,
    examples: ["list --type coffee --since mon", "list --limit 50 --ndjson"],
    options: [
      OptionSpec("--type", value: "type", kind: .eventType, repetition: .allCount, help: "of this type only"),
      OptionSpec("--since", "--from", value: "time", kind: .time, help: "not before: mon, 7d, 2026-11-01"),
      OptionSpec("--until", "--to", value: "time", kind: .time, help: "not after: a day is meant whole"),
      OptionSpec("--grep", value: "text", kind: .text, help: "with this text in note, title, place or a property"),
      OptionSpec("--limit", value: "n", kind: .number, help: "at most so many (50; 0 for all)"),
      OptionSpec("--deleted", help: "instead what was deleted and can be brought back: trendy restore ID"),
      OptionSpec("--fail-empty", help: "status 1 when there is none"),
    ])

  /// Empty for all.
  private let typeNames: [String]
  private let range: Range<Date>?
  /// In small letters.
  private let text: String?
  /// `nil` for all.
  private let limit: Int?
  private let showsDeleted: Bool
  private let failsEmpty: Bool

  init(_ session: Session) throws {
    let arguments = session.arguments
    typeNames = arguments.all("--type")
    range = try session.range()
    text = arguments.value("--grep")?.lowercased()
    let most = try session.wholeNumber(option: "--limit", in: 0...Int.max) ?? 50
    limit = most > 0 ? most : nil
    showsDeleted = arguments.has("--deleted")
    failsEmpty = arguments.has("--fail-empty")
  }

  func act(_ session: Session) throws -> EventList {
    let container = try session.openStore()
    let store = container.makeStore()
    let types = Set(try typeNames.map { try Lookup(store: store).eventType($0) { "trendy type add \($0)" }.id })
    var events =
      showsDeleted ? try deleted(ofTypes: types, in: container.recorder) : try events(ofTypes: types, in: store)
    if let text { events = events.filter { $0.holds(text) } }
    return try EventList(Array(events.prefix(limit ?? .max)), in: store)
  }

  private func events(ofTypes types: Set<String>, in store: any DataStoreProtocol) throws -> [Event] {
    let limit = text == nil ? limit : nil
    if types.count < 2 { return try store.events(in: range, ofType: types.first, limit: limit) }
    return try types.flatMap { try store.events(in: range, ofType: $0, limit: limit) }.sorted(by: Self.isNewer)
  }

  private func deleted(ofTypes types: Set<String>, in recorder: Recorder) throws -> [Event] {
    try recorder.deleted(.event).compactMap(\.event)
      .filter { (types.isEmpty || types.contains($0.eventTypeId)) && (range?.contains($0.timestamp) ?? true) }
      .sorted(by: Self.isNewer)
  }

  private static func isNewer(_ left: Event, _ right: Event) -> Bool {
    (left.timestamp, left.id) > (right.timestamp, right.id)
  }

  func show(_ answer: EventList, _ session: Session) -> ExitCode {
    answer.show(schema: "trendy.events/1", session) { text in
      if answer.events.isEmpty { session.console.text("Nothing found.") }
      let year = session.local.components(of: session.now).year
      let columns = answer.nameColumns(text)
      var day = ""
      for event in answer.events {
        let heading = session.local.day(event.timestamp, year: year)
        if heading != day { session.console.text(StyledText([StyledText.Part(heading, .heading)])) }
        day = heading
        session.console.text(text.lineOfDay(event, columns: columns))
      }
    }
    return answer.events.isEmpty && failsEmpty ? .no : .done
  }
}

extension Event {
  fileprivate func holds(_ text: String) -> Bool {
    let fields = [notes, originalTitle, locationName] + properties.values.map(\.stringValue)
    return fields.contains { $0?.lowercased().contains(text) ?? false }
  }
}
