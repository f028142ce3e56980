import TrendyFoundation
import TrendyModels

/// Reads the history that Home Assistant's page History saves: one row for each change of an entity's state.
///
/// Numbers become an average per day. Any other state becomes an event that ends with the next state of the entity.
enum HomeAssistant {
  /// States in which nothing happens or nothing is known.
  private static let idle: Set<String> = [
    "", "off", "unavailable", "unknown", "idle", "not_home", "closed", "standby", "none", "below_horizon",
  ]

  static func isBeginning(of head: ArraySlice<UInt8>) -> Bool {
    guard InterchangeFormat.isPlainText(head), let names = EventTableReader.header(of: head)?.normalized else {
      return false
    }
    return Set(names).isSuperset(of: ["entity id", "state", "last changed"])
  }

  private struct Change {
    var time: Date
    /// `nil` for a number.
    var state: String?
    var place: String
  }

  static func read(_ input: ByteInput, _ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    var rows = try TableRows(ByteInput(try input.whole()))
    let names = try rows.next()?.cells.map(TableHeader.normal) ?? []
    guard let entity = names.firstIndex(of: "entity id"), let state = names.firstIndex(of: "state"),
      let changed = names.firstIndex(of: "last changed")
    else { throw InterchangeError.unreadable(reason: "the columns entity_id, state and last_changed are required") }
    var values = DailyValues()
    var changes: [String: [Change]] = [:]
    while let (line, cells) = try rows.next() {
      let place = "line \(line)"
      if let problem = rows.problem { try body(.bad(reason: problem), place) }
      guard cells.count >= names.count, !cells[entity].isEmpty else {
        try body(.bad(reason: "the row has \(cells.count) of \(names.count) columns, or no entity"), place)
        continue
      }
      guard let time = FieldText.date(cells[changed]) else {
        try body(.bad(reason: "invalid time '\(cells[changed].prefix(40))'"), place)
        continue
      }
      let extra = cells.dropFirst(names.count).filter { !$0.isEmpty }
      if let cell = extra.first {
        try body(.bad(reason: "the row has more cells than the header: '\(cell.prefix(60))' was ignored"), place)
      }
      let number = FieldText.number(cells[state])
      changes[cells[entity], default: []].append(
        Change(time: time, state: number == nil ? cells[state] : nil, place: place))
      if let number {
        values.add(
          number, "value", type: cells[entity], on: options.zone.wall(at: time).day, .average,
          format: "home-assistant")
      }
    }
    for (entity, list) in changes.sorted(by: { $0.key < $1.key }) {
      try give(
        list.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element), entity,
        options, body)
    }
    try values.give(options, body)
  }

  private static func give(
    _ changes: [Change], _ entity: String, _ options: ImportOptions, _ body: InterchangeFormat.Handler
  ) throws {
    for (index, change) in changes.enumerated() {
      guard let state = change.state else { continue }
      guard !idle.contains(state.lowercased()) else {
        try body(.skip(what: "state '\(state.prefix(40))'"), change.place)
        continue
      }
      // A later export contains the end.
      guard index + 1 < changes.count else { return try body(.skip(what: "state that has not ended"), change.place) }
      var event = ExternalEvent(
        typeName: entity, key: ["home-assistant", entity, RFC3339.string(from: change.time)], timestamp: change.time)
      event.timeZone = options.zone.name
      event.properties["state"] = .text(state)
      event.endDate = changes[index + 1].time
      try body(.event(event), change.place)
    }
  }
}
